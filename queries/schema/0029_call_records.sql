-- migration: call_records
-- purpose:   keeps what else the span of a tool call says, which response a model call continues, and tool calls of
--            which it is not recorded whether they ran
-- note:      the new columns are null for runs that were assembled before.
alter table tool_calls add column metadata json;
alter table tool_calls alter column status drop not null;
alter table llm_calls add column previous_response_id varchar;

-- migration: call_status
-- purpose:   lets a tool call have no status where nothing recorded says whether it ran
-- grain:     agent_trace_id, position
alter table tool_calls alter column status drop not null;

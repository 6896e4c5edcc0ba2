-- migration: guardrails
-- purpose:   says what guardrails decided in a run, how much a model was asked to reason, and where its conversation
--            was shortened before
alter table agent_traces add column guardrails json;
alter table llm_calls add column reasoning_level varchar;
alter table llm_calls add column is_compacted boolean;

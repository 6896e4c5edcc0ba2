-- migration: models_of_calls
-- purpose:   gives each model call one name of its model, and tells apart the tokens that have a price of their own
-- grain:     agent_trace_id, position
-- note:      null for calls that were assembled before.
alter table llm_calls add column model varchar;
alter table llm_calls add column cache_write_input_tokens bigint;
alter table llm_calls add column audio_input_tokens bigint;
alter table llm_calls add column audio_output_tokens bigint;

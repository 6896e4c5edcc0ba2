-- migration: tokens_by_price
-- purpose:   tells apart further tokens of model calls that have a price of their own
-- grain:     agent_trace_id, position
-- note:      null for calls that were assembled before.
alter table llm_calls add column cache_write_1h_input_tokens bigint;
alter table llm_calls add column image_input_tokens bigint;
alter table llm_calls add column video_input_tokens bigint;
alter table llm_calls add column image_output_tokens bigint;

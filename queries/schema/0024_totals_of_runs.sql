-- migration: totals_of_runs
-- purpose:   adds up for each run what it and its sub-agents took
-- grain:     agent_trace_id
-- note:      null for runs that were assembled before.
alter table agent_traces add column total_input_tokens bigint;
alter table agent_traces add column total_output_tokens bigint;
alter table agent_traces add column total_cost_usd double;
alter table agent_traces add column total_tool_call_count bigint;

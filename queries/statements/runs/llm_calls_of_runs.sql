-- statement: llm_calls_of_runs
-- purpose:   the llm_calls of some runs, for evaluation
-- reads:     llm_calls
select *
from llm_calls
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));

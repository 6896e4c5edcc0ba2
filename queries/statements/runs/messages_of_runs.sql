-- statement: messages_of_runs
-- purpose:   the messages of some runs, for evaluation
-- reads:     messages
select *
from messages
where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));

-- statement: load_messages
-- purpose:   the messages of some runs, for evaluation
-- reads:     messages
select *
from messages
where agent_trace_id in (select unnest($agent_trace_ids));

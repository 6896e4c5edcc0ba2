-- statement: insert_due_later
-- purpose:   puts off some runs for an evaluator
-- reads:     due_later, agent_traces
insert into due_later by name
select
    agent_trace_id as target_id,
    'trace' as scope,
    $evaluator as evaluator,
    revision,
    $not_before as not_before,
    $priority as priority,
    $reason as reason
from agent_traces
where agent_trace_id in (select unnest(string_split($agent_trace_ids, ',')));

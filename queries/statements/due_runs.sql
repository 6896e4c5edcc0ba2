-- statement: due_runs
-- purpose:   runs whose present revision an evaluator has not judged, oldest assembly first
-- reads:     agent_traces, evaluator_cursors
select agent_trace_id
from agent_traces
where
    assembled_seq > (
        select seq
        from evaluator_cursors
        where evaluator = $evaluator and evaluator_version = $evaluator_version and config_hash = $config_hash
    )
order by assembled_seq
limit $limit;

-- report:  neighbours_of_run
-- purpose: the runs before and after a run, in its session and of its agent
-- grain:   relation
-- reads:   runs
(
    select
        'previous_in_session' as relation,
        agent_trace_id,
        started_at
    from runs
    where session_id = $session_id and started_at < $started_at::timestamp
    order by started_at desc, agent_trace_id desc
    limit 1
)
union all
(
    select
        'next_in_session' as relation,
        agent_trace_id,
        started_at
    from runs
    where session_id = $session_id and started_at > $started_at::timestamp
    order by started_at, agent_trace_id
    limit 1
)
union all
(
    select
        'previous_of_agent' as relation,
        agent_trace_id,
        started_at
    from runs
    where agent_name = $agent_name and started_at < $started_at::timestamp
    order by started_at desc, agent_trace_id desc
    limit 1
)
union all
(
    select
        'next_of_agent' as relation,
        agent_trace_id,
        started_at
    from runs
    where agent_name = $agent_name and started_at > $started_at::timestamp
    order by started_at, agent_trace_id
    limit 1
);

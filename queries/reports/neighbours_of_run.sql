-- report:  neighbours_of_run
-- purpose: the runs before and after a run, in its session and of its agent
-- grain:   relation
-- reads:   runs
-- note:    runs that began at the same moment stand in the order of their ids, as in lists. An agent without a name is
--          known by its service. The comparison of times alone limits what is read.
(
    select
        'previous_in_session' as relation,
        agent_trace_id,
        started_at
    from runs
    where
        session_id = $session_id
        and started_at <= $started_at::timestamp
        and (started_at, agent_trace_id) < ($started_at::timestamp, $agent_trace_id)
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
    where
        session_id = $session_id
        and started_at >= $started_at::timestamp
        and (started_at, agent_trace_id) > ($started_at::timestamp, $agent_trace_id)
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
    where
        coalesce(agent_name, service_name) = $agent
        and started_at <= $started_at::timestamp
        and (started_at, agent_trace_id) < ($started_at::timestamp, $agent_trace_id)
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
    where
        coalesce(agent_name, service_name) = $agent
        and started_at >= $started_at::timestamp
        and (started_at, agent_trace_id) > ($started_at::timestamp, $agent_trace_id)
    order by started_at, agent_trace_id
    limit 1
);

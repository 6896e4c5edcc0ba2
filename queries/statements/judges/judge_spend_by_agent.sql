-- statement: judge_spend_by_agent
-- purpose:   the cost of a judge since a time for each agent of a service, in US dollars. Either in
--            production, or if $of_experiments in all experiments; without previews, or if $of_previews of them alone
-- reads:     judge_calls, agent_traces
-- note:      a session counts for the agent of its first turn, a tool for none. Cached calls cost nothing; pending ones
--            count with their upper limit.
with calls as (
    select
        target_id,
        sum(cost_usd) as cost_usd
    from judge_calls
    where
        started_at >= $since
        and judge = $judge
        and not from_cache
        and (experiment_id is not null) = $of_experiments
        and (purpose = 'preview') = $of_previews
    group by target_id
),

first_turns as (
    select
        'session:' || session_id as target_id,
        arg_min(service_name, started_at) as service_name,
        arg_min(agent_name, started_at) as agent_name
    from agent_traces
    where
        parent_agent_trace_id is null
        and experiment_id is null
        and 'session:' || session_id in (select target_id from calls)
    group by session_id
),

agents as (
    select
        agent_trace_id as target_id,
        service_name,
        agent_name
    from agent_traces
    where agent_trace_id in (select target_id from calls)
    union all
    select
        target_id,
        service_name,
        agent_name
    from first_turns
)

select
    agents.service_name,
    agents.agent_name,
    coalesce(sum(calls.cost_usd), 0.0) as cost_usd
from calls
inner join agents on calls.target_id = agents.target_id
group by agents.service_name, agents.agent_name;

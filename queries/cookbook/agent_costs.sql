-- report:  agent_costs
-- purpose: What did each agent cost, and its failing runs?
-- grain:   agent
-- reads:   selected_runs, judge_calls, agent_traces, few
-- note:    costs are over the n runs that have one; for the others a price or the tokens are unknown. judge_usd is what
--          the evaluators of these runs paid to judges.
with totals as (
    select
        coalesce(agent_name, service_name) as agent,
        count(*) as runs,
        count(cost_usd) as n,
        sum(cost_usd) as cost_usd,
        avg(cost_usd) as cost_per_run_usd,
        count(*) filter (where failing) as failing_runs,
        sum(cost_usd) filter (where failing) as failing_usd
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    group by all
),

judged as (
    select
        coalesce(runs.agent_name, runs.service_name) as agent,
        sum(calls.cost_usd) as judge_usd
    from judge_calls as calls
    inner join agent_traces as judged_runs on split_part(calls.target_id, '#', 1) = judged_runs.agent_trace_id
    inner join selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment) as runs
        on judged_runs.root_agent_trace_id = runs.agent_trace_id
    where calls.experiment_id is null and calls.started_at >= $since::timestamp
    group by all
)

select
    totals.agent,
    totals.runs,
    totals.n,
    round(totals.cost_usd, 6) as cost_usd,
    round(totals.cost_per_run_usd, 6) as cost_per_run_usd,
    totals.failing_runs,
    round(if(totals.failing_runs = 0, 0, totals.failing_usd), 6) as failing_usd,
    round(judged.judge_usd, 6) as judge_usd,
    few(totals.n) as remark
from totals
left join judged using (agent)
order by totals.cost_usd desc nulls last, totals.agent;

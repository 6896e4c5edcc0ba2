-- report:  agent_costs
-- purpose: What did each agent cost, and its failing runs?
-- grain:   agent
-- reads:   selected_runs, run_scores, few
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
        coalesce(agent_name, service_name) as agent,
        sum(cost_usd) as judge_usd
    from run_scores($since::timestamp, $until::timestamp, $agent, $version, $environment)
    group by all
)

select
    totals.agent,
    totals.runs,
    totals.n,
    round(totals.cost_usd, 6) as cost_usd,
    round(totals.cost_per_run_usd, 6) as cost_per_run_usd,
    totals.failing_runs,
    round(totals.failing_usd, 6) as failing_usd,
    round(judged.judge_usd, 6) as judge_usd,
    few(totals.n) as remark
from totals
left join judged using (agent)
order by totals.cost_usd desc nulls last, totals.agent;

-- report:  backfill_plan
-- purpose: what a backfill of an evaluator would request: the targets of the period, those of them that have a score of
--          its present form or are requested already, and what a target has cost so far
-- grain:   one row
-- reads:   agent_traces, scores, deferrals, judge_calls
-- splices: condition
-- note:    selects what insert_backfill and expedite_backfill do. usd_a_target is null if nothing was paid in the 28
--          days before $now, or a price is unknown.
with covered as (
    select
        case when $scope = 'session' then 'session:' || session_id else agent_trace_id end as target_id,
        max(revision) as revision
    from agent_traces
    where
        experiment_id is null
        and started_at between $since::timestamp and $until::timestamp
        and ($scope <> 'session' or (session_id is not null and parent_agent_trace_id is null))
        and (
            ${condition}
        )
    group by all
),

scored as (
    select distinct case when $scope = 'session' then scores.target_id else scores.agent_trace_id end as target_id
    from scores
    inner join covered
        on
            covered.target_id = case when $scope = 'session' then scores.target_id else scores.agent_trace_id end
            and ($scope = 'session' or scores.revision = covered.revision)
    where
        scores.experiment_id is null
        and scores.evaluator = $evaluator
        and scores.evaluator_version = $evaluator_version
        and scores.config_hash = $config_hash
        and ($scope <> 'session' or scores.superseded_at is null)
        and scores.status <> 'error'
),

queued as (
    select target_id
    from deferrals
    where evaluator = $evaluator and kind = 'backfill'
),

paid as (
    select
        count(distinct target_id) as targets,
        case when count(*) = count(cost_usd) then sum(cost_usd) end as cost_usd
    from judge_calls
    where
        evaluator = $evaluator
        and experiment_id is null
        and not from_cache
        and status <> 'error'
        and started_at >= $now::timestamp - interval 28 day
)

select
    count(covered.target_id) as targets,
    count(scored.target_id) as scored,
    count(queued.target_id) as queued,
    count(*) filter (where queued.target_id is null and ($again or scored.target_id is null)) as requested,
    (select paid.cost_usd / nullif(paid.targets, 0) from paid) as usd_a_target
from covered
left join scored using (target_id)
left join queued using (target_id);

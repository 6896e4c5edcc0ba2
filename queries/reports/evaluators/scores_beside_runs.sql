-- report:  scores_beside_runs
-- purpose: what evaluators of sessions and tools said in a period, and in the same length before it
-- grain:   evaluator, evaluator_kind
-- reads:   latest_scores
-- note:    a session counts by its time; a tool has none, and counts by when it was scored.
select
    evaluator,
    evaluator_kind,
    count(*) filter (where is_now and status = 'scored') as scored,
    count(*) filter (where is_now and status = 'skipped') as skipped,
    count(*) filter (where is_now and status = 'error') as errors,
    count(*) filter (where is_now and passed) as passed,
    count(passed) filter (where is_now) as n,
    count(*) filter (where not is_now and passed) as passed_before,
    count(passed) filter (where not is_now) as n_before,
    avg(value) filter (where is_now) as mean
from (
    select
        *,
        coalesce(target_time, scored_at) >= $since::timestamp as is_now
    from latest_scores
    where
        scope in ('session', 'tool')
        and evaluator_kind <> 'external'
        and coalesce(target_time, scored_at) >= $before::timestamp
        and coalesce(target_time, scored_at) < $until::timestamp
) as dated
group by evaluator, evaluator_kind
order by evaluator, evaluator_kind;

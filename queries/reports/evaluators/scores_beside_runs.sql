-- report:  scores_beside_runs
-- purpose: what evaluators of sessions and tools said in a period, and in the same length before it
-- grain:   evaluator, evaluator_kind
-- reads:   latest_scores, runs
-- note:    at most $limit, those of $configured first, then those that scored most. A session counts by its time; a
--          tool has none, and counts by when it was scored. The names select sessions with such a run; a definition of
--          a tool is of no agent, so that all of them count.
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
        and ($evaluator is null or evaluator = $evaluator)
        and ($search::varchar is null or contains(lower(evaluator), lower($search)))
        and evaluator_kind <> 'external'
        and coalesce(target_time, scored_at) >= $before::timestamp
        and coalesce(target_time, scored_at) < $until::timestamp
        and (
            scope = 'tool'
            or coalesce($agent::varchar, $version::varchar, $environment::varchar, $service::varchar) is null
            or session_id in (
                select runs.session_id
                from runs
                where
                    runs.session_id is not null
                    and ($agent::varchar is null or coalesce(runs.agent_name, runs.service_name) = $agent::varchar)
                    and ($version::varchar is null or runs.agent_version = $version::varchar)
                    and ($environment::varchar is null or runs.environment = $environment::varchar)
                    and ($service::varchar is null or runs.service_name = $service::varchar)
            )
        )
) as dated
group by evaluator, evaluator_kind
order by list_contains($configured::varchar[], evaluator) desc, scored desc, evaluator, evaluator_kind
limit $limit;

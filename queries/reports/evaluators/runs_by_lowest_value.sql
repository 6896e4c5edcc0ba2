-- report:  runs_by_lowest_value
-- purpose: the runs of a period by their lowest value of an evaluator, in ten bins of which 0 is from 0 to 0.1: what
--          the filter `score:NAME<0.2 -score:NAME<0.1` selects
-- grain:   bin
-- reads:   latest_scores, agent_traces, selected_runs
-- note:    scores are on the run, on its calls or on its sub-agents; as in the filter, those of people under the name
--          of the evaluator are among them. The last bin contains 1. A run that failed has a failed score of an
--          evaluator.
with lowest as (
    select
        scored_runs.root_agent_trace_id as agent_trace_id,
        min(scores.value) as value,
        coalesce(bool_or(not scores.passed and scores.evaluator_kind in ('code', 'llm', 'sql')), false) as is_failed,
        coalesce(bool_or(scores.passed and scores.evaluator_kind in ('code', 'llm', 'sql')), false) as is_passed,
        count(*) filter (where scores.evaluator_kind = 'human') as by_people
    from latest_scores as scores
    inner join agent_traces as scored_runs on scores.agent_trace_id = scored_runs.agent_trace_id
    where
        scores.evaluator = $evaluator
        and scores.value is not null
        and scored_runs.experiment_id is null
        and scores.target_time >= $since::timestamp
        and scores.target_time < $until::timestamp + interval 1 day
        and scored_runs.started_at >= $since::timestamp
        and scored_runs.started_at < $until::timestamp + interval 1 day
    group by scored_runs.root_agent_trace_id
)

select
    (
        select count(*)
        from (values (0.1), (0.2), (0.3), (0.4), (0.5), (0.6), (0.7), (0.8), (0.9)) as edges (edge)
        where edges.edge::double <= lowest.value
    ) as bin,
    count(*) as runs,
    count(*) filter (where lowest.is_failed) as failed,
    count(*) filter (where lowest.is_passed and not lowest.is_failed) as passed,
    sum(lowest.by_people)::bigint as by_people
from lowest
inner join selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment) as runs
    using (agent_trace_id)
where $service is null or runs.service_name = $service
group by bin
order by bin;

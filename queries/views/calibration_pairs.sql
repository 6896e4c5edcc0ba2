-- view:    calibration_pairs
-- purpose: scores of a judge, each with a score of a person on the same target under the name of the evaluator
-- grain:   judge_score_id, human_score_id
-- reads:   scores, latest_scores, spans
-- note:    each form of a judge (evaluator_version, config_hash, judge_model) is compared by its latest score, even if
--          a later form has superseded it (active says so). Scores of experiments are left out. Only active scores of
--          people count; several people on the same target make several pairs. A person's score on a span within a run
--          is on that span, not on the run; one on a span above the run is on the run. human_passed is passed of the
--          person's score; else whether its value reaches the threshold of the judge; else whether the value of its
--          label in the judge's rubric (details.labels) does; else whether the label itself is pass or fail.
create or replace view calibration_pairs as
with recursive humans as (
    select *
    from latest_scores
    where
        evaluator_kind = 'human'
        and status = 'scored'
        and (value is not null or label is not null or passed is not null)
),

judges as (
    select *
    from scores
    where
        evaluator_kind = 'llm'
        and experiment_id is null
        and (evaluator, target_id) in (select (evaluator, target_id) from humans)
    qualify row_number() over (
        partition by target_id, evaluator, evaluator_version, config_hash, judge_model
        order by superseded_at is null desc, scored_at desc, score_id
    ) = 1
    and status = 'scored'
),

runs as (
    select distinct
        judges.trace_id,
        judges.span_id
    from judges
    inner join humans using (target_id, evaluator)
    where judges.scope = 'trace' and humans.span_id <> judges.span_id
),

links as materialized (
    select
        trace_id,
        span_id,
        parent_span_id
    from spans
    where trace_id in (select trace_id from runs) and parent_span_id is not null
),

above as (
    select
        links.trace_id,
        links.span_id as span_of_run,
        links.parent_span_id as span_id
    from links
    inner join runs using (trace_id, span_id)
    union
    select
        above.trace_id,
        above.span_of_run,
        links.parent_span_id as span_id
    from above
    inner join links using (trace_id, span_id)
)

select
    judges.target_id,
    judges.scope,
    judges.agent_trace_id,
    judges.trace_id,
    judges.target_time,
    judges.evaluator,
    judges.evaluator_type,
    judges.evaluator_version,
    judges.config_hash,
    judges.judge_model,
    judges.superseded_at is null as active,
    judges.score_id as judge_score_id,
    judges.revision as judge_revision,
    judges.value as judge_value,
    judges.label as judge_label,
    judges.passed as judge_passed,
    judges.threshold,
    judges.explanation as judge_explanation,
    judges.scored_at as judge_scored_at,
    humans.author,
    humans.score_id as human_score_id,
    humans.revision as human_revision,
    humans.value as human_value,
    humans.label as human_label,
    coalesce(
        humans.passed,
        humans.value >= judges.threshold,
        list_filter(
            map_entries(try_cast(judges.details -> 'labels' as map (varchar, double))),
            lambda entry: lower(trim(entry['key'])) = lower(trim(humans.label))
        )[1]['value']
        >= judges.threshold,
        case
            when lower(trim(humans.label)) in ('pass', 'passed') then true
            when lower(trim(humans.label)) in ('fail', 'failed') then false
        end
    ) as human_passed,
    humans.explanation as human_explanation,
    humans.scored_at as human_scored_at
from judges
inner join humans using (target_id, evaluator)
left join above
    on
        judges.trace_id = above.trace_id
        and judges.span_id = above.span_of_run
        and humans.span_id = above.span_id
where
    judges.scope <> 'trace'
    or humans.span_id is not distinct from judges.span_id
    or above.span_id is not null;

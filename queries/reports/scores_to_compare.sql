-- report:  scores_to_compare
-- purpose: the active scores under an evaluator's name on some targets: of the evaluator, and of people
-- grain:   target_id, evaluator_kind, author, span_id
-- reads:   latest_scores, agent_traces, spans
-- note:    a person's score on a span within a run is not on the run; one on a span above the run's own is. An
--          evaluator whose kind changed has an active score of each kind; the newer one comes last.
with recursive compared as (
    select *
    from latest_scores
    where
        evaluator = $evaluator
        and target_id in (select unnest($target_ids::varchar[]))
        and evaluator_kind <> 'external'
),

named as (
    select distinct
        runs.agent_trace_id,
        runs.trace_id,
        runs.agent_span_id
    from compared
    inner join agent_traces as runs on compared.target_id = runs.agent_trace_id
    where compared.evaluator_kind = 'human' and compared.span_id <> runs.agent_span_id
),

links as materialized (
    select
        trace_id,
        span_id,
        parent_span_id
    from spans
    where trace_id in (select trace_id from named) and parent_span_id is not null
),

above as (
    select
        named.agent_trace_id,
        named.trace_id,
        links.parent_span_id as span_id
    from named
    inner join links on named.trace_id = links.trace_id and named.agent_span_id = links.span_id
    union
    select
        above.agent_trace_id,
        above.trace_id,
        links.parent_span_id as span_id
    from above
    inner join links on above.trace_id = links.trace_id and above.span_id = links.span_id
)

select
    compared.target_id,
    compared.evaluator_kind,
    compared.author,
    compared.evaluator_version,
    compared.config_hash,
    compared.revision,
    compared.status,
    compared.value,
    compared.label,
    compared.passed,
    coalesce(compared.explanation, compared.reason) as because
from compared
left join named on compared.target_id = named.agent_trace_id
left join above on compared.target_id = above.agent_trace_id and compared.span_id = above.span_id
where
    compared.evaluator_kind <> 'human'
    or named.agent_trace_id is null
    or compared.span_id is null
    or compared.span_id = named.agent_span_id
    or above.span_id is not null
order by compared.target_id, compared.scored_at, compared.author;

-- view:    span_events
-- purpose: the events of spans: those that they arrived with, and every score of production on them as
--          gen_ai.evaluation.result
-- grain:   event
-- reads:   spans, scores, evaluation_attributes
-- note:    origin distinguishes them: ingested, evaluation. Scores on tool definitions and sessions belong to no span.
--          A score that arrived as an event of the span that it is on is listed once, as that event.
create or replace view span_events as
select
    trace_id,
    span_id,
    event ->> 'name' as name,
    make_timestamp((event ->> 'time_ns')::bigint // 1000) as time,
    event -> 'attributes' as attributes,
    'ingested' as origin
from (
    select
        trace_id,
        span_id,
        unnest(from_json(events, '["json"]')) as event
    from spans
    where events <> '[]'
) as ingested
union all
select
    trace_id,
    span_id,
    'gen_ai.evaluation.result' as name,
    scored_at as time,
    evaluation_attributes(scores) as attributes,
    'evaluation' as origin
from scores
where
    experiment_id is null
    and span_id is not null
    and not (evaluator_kind = 'external' and evaluator_type = 'span_event' and (details ->> 'carrier') is null);

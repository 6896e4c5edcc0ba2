-- statement: next_outbox_events
-- purpose:   the next scores to export, as the events that the view span_events shows
-- reads:     outbox, scores, evaluation_attributes
select
    outbox.position,
    scores.trace_id,
    scores.span_id,
    epoch_ns(scores.scored_at) as time_ns,
    evaluation_attributes(scores) as attributes
from outbox
inner join scores on outbox.score_id = scores.score_id
order by outbox.position
limit $limit;

-- statement: runs_scored_by_people
-- purpose:   the runs that some scores of people are on, and when their targets began
-- reads:     scores
-- note:      all of the scores were given between $earliest and $latest, which limits what is read.
select distinct
    agent_trace_id,
    target_time
from scores
where
    scored_at between $earliest and $latest
    and evaluator_kind = 'human'
    and agent_trace_id is not null
    and score_id in (select unnest(string_split($score_ids, chr(31))));

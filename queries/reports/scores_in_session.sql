-- report:  scores_in_session
-- purpose: the active scores on a session
-- grain:   score_id
-- reads:   scores
select *
from scores
where
    target_id = 'session:' || $session_id
    and superseded_at is null
    and experiment_id is null
order by evaluator, scored_at, score_id
limit $limit;

-- report:  scores_of_experiment
-- purpose: the scores of an experiment behind a score_id, in the order of their ids
-- grain:   score_id
-- reads:   scores
select * exclude (superseded_at, superseded_reason)
from scores
where experiment_id = $experiment_id and score_id > $after_score_id
order by score_id
limit $limit;

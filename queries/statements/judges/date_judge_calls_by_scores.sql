-- statement: date_judge_calls_by_scores
-- purpose:   dates the calls of judges like the scores that came of them
-- grain:     judge_call_id
-- reads:     judge_calls, scores
update judge_calls
set started_at = scores.scored_at
from scores
where
    judge_calls.evaluator = scores.evaluator
    and judge_calls.target_id = scores.target_id
    and scores.experiment_id is null
    and scores.superseded_at is null;

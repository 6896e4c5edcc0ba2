-- statement: pending_calls_of_judge
-- purpose:   the calls of a judge whose answers are still to come, of each batch the first thousand
-- reads:     judge_calls
-- note:      the requests are left out, for they are wide and most batches are under way.
select * replace (null::json as request)
from judge_calls
where status = 'pending' and judge = $judge
qualify row_number() over (partition by batch_id order by started_at, judge_call_id) <= 1000;

-- statement: pending_judge_calls
-- purpose:   the calls of a judge that are not answered yet, of each batch the first thousand. Either those of
--            production, or if $of_experiments those of all experiments
-- reads:     judge_calls
-- note:      requests are left out, since they are wide and most batches are in progress.
select * replace (null::json as request)
from judge_calls
where status = 'pending' and judge = $judge and (experiment_id is not null) = $of_experiments
qualify row_number() over (partition by batch_id order by started_at, judge_call_id) <= 1000;

-- statement: stored_judge_calls
-- purpose:   those of some ids that a stored call has
-- grain:     judge_call_id
-- reads:     judge_calls
select distinct judge_call_id
from judge_calls
where judge_call_id in (select unnest(string_split($judge_call_ids, chr(31))));

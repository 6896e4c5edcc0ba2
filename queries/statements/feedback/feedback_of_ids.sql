-- statement: feedback_of_ids
-- purpose:   the feedback that is stored under some ids
-- reads:     feedback
select *
from feedback
where score_id in (select unnest(string_split($score_ids, chr(31))));

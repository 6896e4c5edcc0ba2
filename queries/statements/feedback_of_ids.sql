-- statement: feedback_of_ids
-- purpose:   what is kept under some ids already
-- reads:     feedback
select *
from feedback
where score_id in (select unnest(string_split($score_ids, chr(31))));

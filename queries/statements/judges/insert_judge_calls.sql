-- statement: insert_judge_calls
-- purpose:   stores calls of judges
-- reads:     judge_calls
-- note:      arriving_judge_calls is registered by the writer.
insert into judge_calls by name
select *
from arriving_judge_calls;

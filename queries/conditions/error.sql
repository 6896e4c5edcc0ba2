-- condition: error
-- purpose:   a text in the error or in the first fault, in any case
-- reads:     runs
select agent_trace_id
from runs
where
    contains(lower(error), lower($text)) or contains(lower(first_fault), lower($text));

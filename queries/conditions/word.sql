-- condition: word
-- purpose:   a text in what the user asked or in the final answer, in any case
-- reads:     runs
select agent_trace_id
from runs
where
    contains(lower(input), lower($text)) or contains(lower(final_response), lower($text));

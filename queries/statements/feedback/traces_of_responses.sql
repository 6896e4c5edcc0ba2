-- statement: traces_of_responses
-- purpose:   the traces with the responses that feedback names, of responses that only one trace has
-- reads:     llm_calls
-- note:      a response is looked for in the weeks before its score, and a day after it, as clocks differ.
select
    response_id,
    any_value(trace_id) as trace_id
from llm_calls
where
    started_at between $earliest - interval 30 day and $latest + interval 1 day
    and response_id in (select unnest(string_split($response_ids, chr(31))))
group by response_id
having count(distinct trace_id) = 1;

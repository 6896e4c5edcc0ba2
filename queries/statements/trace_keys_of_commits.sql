-- statement: trace_keys_of_commits
-- purpose:   the traces of which some commits brought spans, each by the lower half of its id as a number, and how many
--            spans these commits brought in all
-- reads:     spans
-- note:      commits are stored in their order, so that no others are read.
select
    key,
    sum(count(*)) over () as spans
from (
    select ('0x' || right(trace_id, 16))::ubigint as key
    from spans
    where batch_seq > $after_seq and batch_seq <= $until_seq
) as arrived
group by key;

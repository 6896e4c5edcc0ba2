-- statement: trace_keys_of_commits
-- purpose:   the traces of which some commits stored spans, each as the lower half of its id as a number
-- reads:     spans
-- note:      commits are stored in their order, so no others are read.
select distinct ('0x' || right(trace_id, 16))::ubigint as key
from spans
where batch_seq > $after_seq and batch_seq <= $until_seq;

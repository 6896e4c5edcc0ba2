-- statement: commit_before_slice
-- purpose:   the commit after which the commits up to $until_seq stored $most_spans spans, not counting those of
--            $until_seq itself; $after_seq where they stored fewer
-- reads:     spans
-- note:      commits are stored in their order, so no others are read.
select coalesce(max(batch_seq) filter (where spans_from_here > $most_spans), $after_seq) as after_seq
from (
    select
        batch_seq,
        sum(count(*)) over (order by batch_seq desc) as spans_from_here
    from spans
    where batch_seq > $after_seq and batch_seq < $until_seq
    group by batch_seq
) as commits;

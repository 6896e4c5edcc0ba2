-- report:  unassembled
-- purpose: when the oldest span ended of those that arrived after the commit $after_seq, for /metrics
-- grain:   one row
-- reads:   spans
-- note:    $after_seq is a constant of its own, so that row groups are left out by their range of batch_seq and the
--          cost does not grow with the store. A span without a time, or with a future one, counts from its arrival.
select min(case when end_ns <= 0 then ingested_at else least(end_time, ingested_at) end) as oldest_at
from spans
where batch_seq > $after_seq;

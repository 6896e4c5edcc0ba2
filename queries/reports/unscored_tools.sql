-- report:  unscored_tools
-- purpose: how many tool definitions are new to evaluators whose cursor is at $after_seq, for /metrics; they have no
--          time
-- grain:   one row
-- reads:   offered_tools
select
    count(*) as targets,
    null::timestamp as oldest_at
from offered_tools
where seq > $after_seq;

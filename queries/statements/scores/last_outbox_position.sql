-- statement: last_outbox_position
-- purpose:   the highest position in the outbox
-- reads:     outbox
select coalesce(max(position), 0) as position
from outbox;

-- statement: rebuild_under_way
-- purpose:   the rebuild that has not ended, if there is one
-- reads:     rebuilds
select
    rebuild_id,
    since,
    traces,
    done
from rebuilds
where ended_at is null;

-- statement: current_rebuild
-- purpose:   the rebuild in progress, if there is one
-- reads:     rebuilds
select
    rebuild_id,
    since,
    traces,
    done
from rebuilds
where ended_at is null;

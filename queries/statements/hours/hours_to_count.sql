-- statement: hours_to_count
-- purpose:   the hours before $before whose counts may be out of date, the newest first, each with its last change
-- grain:     hour
-- reads:     changed_hours
select
    hour,
    max(change) as change
from changed_hours
where hour <= $before
group by hour
order by hour desc;

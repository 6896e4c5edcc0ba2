-- statement: insert_all_changed_hours
-- purpose:   marks all hours in which runs began or which are counted
-- reads:     changed_hours, agent_traces, run_hours, score_hours, tool_hours
insert into changed_hours
select
    hour,
    (select coalesce(max(changed_hours.change), 0) + 1 from changed_hours) as change
from (
    select date_trunc('hour', started_at) as hour
    from agent_traces
    where experiment_id is null
    union
    select hour from run_hours
    union
    select hour from score_hours
    union
    select hour from tool_hours
) as hours;

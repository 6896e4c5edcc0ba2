-- table:   changed_hours
-- purpose: internal. The hours whose rows in run_hours, score_hours and tool_hours may be out of date
-- grain:   hour, change
-- note:    each transaction that changes runs, calls or scores adds the hours of the outermost runs around them, with
--          the next number. Rows up to the number that was the last before a count are deleted with that count.
create table changed_hours (
    hour timestamp not null,
    change bigint not null
);

insert into changed_hours
select distinct
    date_trunc('hour', started_at) as hour,
    0 as change
from agent_traces
where experiment_id is null;

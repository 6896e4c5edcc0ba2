-- report:  wrong_hours
-- purpose: the hours of a period whose stored counts are not those of their runs, scores and tool calls
-- grain:   hour
-- reads:   run_hours, score_hours, tool_hours, changed_hours, run_hours_of, score_hours_of, tool_hours_of
-- note:    without hours that are marked as changed. All that is counted began between $earliest and $latest.
with stored_run_hours as (
    select *
    from run_hours
    where hour >= $since::timestamp and hour < $until::timestamp
),

counted_run_hours as (
    select *
    from run_hours_of($since::timestamp, $until::timestamp)
),

wrong_run_hours as (
    (
        select * from stored_run_hours
        except all
        select * from counted_run_hours
    )
    union all
    (
        select * from counted_run_hours
        except all
        select * from stored_run_hours
    )
),

stored_score_hours as (
    select *
    from score_hours
    where hour >= $since::timestamp and hour < $until::timestamp
),

counted_score_hours as (
    select *
    from score_hours_of($since::timestamp, $until::timestamp, $earliest::timestamp, $latest::timestamp)
),

wrong_score_hours as (
    (
        select * from stored_score_hours
        except all
        select * from counted_score_hours
    )
    union all
    (
        select * from counted_score_hours
        except all
        select * from stored_score_hours
    )
),

stored_tool_hours as (
    select *
    from tool_hours
    where hour >= $since::timestamp and hour < $until::timestamp
),

counted_tool_hours as (
    select *
    from tool_hours_of($since::timestamp, $until::timestamp, $earliest::timestamp, $latest::timestamp)
),

wrong_tool_hours as (
    (
        select * from stored_tool_hours
        except all
        select * from counted_tool_hours
    )
    union all
    (
        select * from counted_tool_hours
        except all
        select * from stored_tool_hours
    )
)

select hour
from (
    select hour from wrong_run_hours
    union
    select hour from wrong_score_hours
    union
    select hour from wrong_tool_hours
) as wrong
where hour not in (select changed_hours.hour from changed_hours)
order by hour;

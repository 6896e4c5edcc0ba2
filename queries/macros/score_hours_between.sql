-- macro:   score_hours_between
-- purpose: active scores on runs, counted by hour, for the hours that begin from `since_` until `until_`; null: all
-- grain:   hour, agent_name, agent_version, environment, service_name, evaluator, evaluator_kind
-- reads:   score_hours, score_hours_of, changed_hours, reach_of_runs
-- note:    always what score_hours_of counts: stored rows where nothing has changed since, else counted now. Without
--          marked hours the period ends before it begins, and DuckDB reads nothing.
create or replace macro score_hours_between(since_, until_) as table
    with marked as (
        select distinct hour
        from changed_hours
        where
            hour >= coalesce(since_::timestamp, timestamp '0001-01-01')
            and hour < coalesce(until_::timestamp, timestamp '9999-12-31')
    ),

    period as (
        select
            coalesce(min(hour), timestamp '9999-12-31') as first_hour,
            coalesce(max(hour) + interval 1 hour, timestamp '0001-01-01') as end_hour
        from marked
    ),

    reach as (
        select
            coalesce(earliest, timestamp '9999-12-31') as earliest,
            coalesce(latest, timestamp '0001-01-01') as latest
        from reach_of_runs((select period.first_hour from period), (select period.end_hour from period))
    ),

    stored as (
        select *
        from score_hours
        where
            hour >= coalesce(since_::timestamp, timestamp '0001-01-01')
            and hour < coalesce(until_::timestamp, timestamp '9999-12-31')
            and hour not in (select marked.hour from marked)
    )

    select * from stored
    union all by name
    select *
    from
        score_hours_of(
            (select period.first_hour from period),
            (select period.end_hour from period),
            (select reach.earliest from reach),
            (select reach.latest from reach)
        ) as counted
    where counted.hour in (select marked.hour from marked);

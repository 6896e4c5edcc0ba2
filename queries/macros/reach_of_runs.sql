-- macro:   reach_of_runs
-- purpose: between which times the trees of the outermost runs that began from `since_` until `until_`, and the targets
--          of the scores on them, began
-- grain:   one row
-- reads:   agent_traces, former_starts
-- note:    limits what of sub-agents, calls and scores is read. Scores on earlier revisions have the former times.
create or replace macro reach_of_runs(since_, until_) as table
    with runs as (
        select
            trace_id,
            earliest_at,
            latest_at
        from agent_traces
        where
            started_at >= since_
            and started_at < until_
            and parent_agent_trace_id is null
            and experiment_id is null
    ),

    former as (
        select
            min(started_at) as earliest_at,
            max(started_at) as latest_at
        from former_starts
        where split_part(agent_trace_id, '-', 1) in (select runs.trace_id from runs)
    )

    select
        least(min(runs.earliest_at), any_value(former.earliest_at)) as earliest,
        greatest(max(runs.latest_at), any_value(former.latest_at)) as latest
    from runs
    cross join former;

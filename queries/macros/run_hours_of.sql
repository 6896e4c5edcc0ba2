-- macro:   run_hours_of
-- purpose: the outermost runs of production that began from `since_` until `until_`, counted by hour
-- grain:   hour, agent_name, agent_version, environment, service_name, model
-- reads:   agent_traces, as_integer
-- note:    the only definition of run_hours, with its columns in their order, by which both are compared. Costs and
--          durations are cut off at a million dollars and 31 years.
create or replace macro run_hours_of(since_, until_) as table
    select
        date_trunc('hour', started_at) as hour,
        coalesce(agent_name, '') as agent_name,
        coalesce(agent_version, '') as agent_version,
        coalesce(environment, '') as environment,
        coalesce(service_name, '') as service_name,
        coalesce(model, '') as model,
        min(started_at) as first_started_at,
        count(*) as runs,
        count(*) filter (where outcome = 'error') as error_runs,
        count(*) filter (where failing) as failing_runs,
        count(*) filter (where outcome = 'passed') as passed_runs,
        count(*) filter (where score_count > 0) as scored_runs,
        count(*) filter (where completeness = 'partial') as partial_runs,
        sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens,
        count(cost_nanousd) as priced_runs,
        sum(cost_nanousd) as cost_nanousd,
        sum(cost_nanousd::hugeint * cost_nanousd) as cost_squares,
        sum(cost_nanousd) filter (where failing) as failing_cost_nanousd,
        count(duration_ms) as timed_runs,
        sum(duration_ms) as duration_ms,
        sum(duration_ms::hugeint * duration_ms) as duration_squares,
        count(*) filter (where outcome = 'waiting') as waiting_runs,
        count(*) filter (where outcome = 'unfinished') as unfinished_runs
    from (
        select
            started_at,
            agent_name,
            agent_version,
            environment,
            service_name,
            model,
            outcome,
            failing,
            score_count,
            completeness,
            coalesce(total_input_tokens, input_tokens) as input_tokens,
            coalesce(total_output_tokens, output_tokens) as output_tokens,
            as_integer(coalesce(total_cost_usd, cost_usd), 1e9, 1e6) as cost_nanousd,
            as_integer(duration_ms, 1, 1e12) as duration_ms
        from agent_traces
        where
            started_at >= since_
            and started_at < until_
            and parent_agent_trace_id is null
            and experiment_id is null
    ) as counted
    group by all;

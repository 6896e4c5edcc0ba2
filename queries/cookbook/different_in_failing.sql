-- report:  different_in_failing
-- purpose: What do the failing runs share that the others do not?
-- grain:   property, value
-- reads:   selected_runs, tool_calls, difference_of_shares
-- note:    of the newest 20,000 failing and 20,000 other runs; at least ten of both. Compared are version, model and so
--          on, tools, and arguments of tools with at most 40 characters. Values that failing runs have more often, the
--          95 % interval of the difference without 0; the first 15.
with chosen as materialized (
    select
        agent_trace_id,
        coalesce(failing, false) as failing,
        agent_name,
        agent_version,
        model,
        environment,
        service_name,
        dialect,
        completeness,
        tools
    from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
    qualify row_number() over (partition by coalesce(failing, false) order by started_at desc) <= 20000
),

properties as (
    select
        agent_trace_id,
        failing,
        unnest([
            'agent', 'version', 'model', 'environment', 'service', 'instrumentation', 'completeness'
        ]) as property,
        unnest([
            agent_name, agent_version, model, environment, service_name, dialect, completeness
        ]) as value
    from chosen
    union all
    select
        agent_trace_id,
        failing,
        'tool' as property,
        unnest(tools) as value
    from chosen
    union all
    select distinct
        agent_trace_id,
        failing,
        'argument ' || tool || '.' || (entry)['key'] as property,
        (entry)['value'] as value
    from (
        select
            chosen.agent_trace_id,
            chosen.failing,
            calls.name as tool,
            unnest(map_entries(try_cast(calls.args as map (varchar, varchar)))) as entry
        from tool_calls as calls
        inner join chosen on calls.agent_trace_id = chosen.agent_trace_id
        where not calls.is_foreign
    ) as listed
    where length((entry)['value']) <= 40
),

totals as (
    select
        count(*) filter (where failing) as n_failing,
        count(*) filter (where not failing) as n_others
    from chosen
),

shares as (
    select
        property,
        value,
        count(*) filter (where failing) as failing_with,
        count(*) filter (where not failing) as others_with
    from properties
    where value is not null
    group by property, value
),

compared as (
    select
        shares.*,
        totals.*,
        difference_of_shares(
            shares.failing_with, totals.n_failing, shares.others_with, totals.n_others
        ) as change
    from shares
    cross join totals
    where totals.n_failing >= 10 and totals.n_others >= 10
)

select
    property,
    value,
    n_failing,
    round(failing_with / n_failing, 4) as in_failing_rate,
    n_others,
    round(others_with / n_others, 4) as in_others_rate,
    round((change)['difference'], 4) as in_rate_change,
    round((change)['low'], 4) as in_rate_change_low,
    round((change)['high'], 4) as in_rate_change_high
from compared
where (change)['low'] > 0
order by (change)['low'] desc, property, value
limit 15;

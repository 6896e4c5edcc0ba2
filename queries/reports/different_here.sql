-- report:  different_here
-- purpose: what the runs that a filter selects share that the others of the same period do not
-- grain:   property, value
-- reads:   runs, difference_of_shares
-- splices: condition
-- note:    of the newest 20,000 runs; at least ten of both. Values that selected runs have more often, the 95 %
--          interval of the difference without 0; the first five.
with chosen as materialized (
    select
        *,
        coalesce((
            ${condition}
        ), false) as is_selected
    from (
        select *
        from runs
        where started_at >= $since::timestamp and started_at < $until::timestamp
        order by started_at desc
        limit 20000
    ) as runs
),

properties as (
    select
        is_selected,
        unnest([
            'agent', 'version', 'model', 'environment', 'service', 'user', 'tool:error'
        ]) as property,
        unnest([
            agent_name, agent_version, model, environment, service_name, user_id, fault_tool
        ]) as value
    from chosen
    union all
    select
        is_selected,
        'tool' as property,
        unnest(tools) as value
    from chosen
),

totals as (
    select
        count(*) filter (where is_selected) as n_selected,
        count(*) filter (where not is_selected) as n_others
    from chosen
),

compared as (
    select
        properties.property,
        properties.value,
        totals.n_selected,
        totals.n_others,
        count(*) filter (where properties.is_selected) as selected_with,
        count(*) filter (where not properties.is_selected) as others_with
    from properties
    cross join totals
    where properties.value is not null and totals.n_selected >= 10 and totals.n_others >= 10
    group by all
)

select
    property,
    value,
    n_selected,
    selected_with,
    n_others,
    others_with
from compared
where (difference_of_shares(selected_with, n_selected, others_with, n_others))['low'] > 0
order by (difference_of_shares(selected_with, n_selected, others_with, n_others))['low'] desc, property, value
limit 5;

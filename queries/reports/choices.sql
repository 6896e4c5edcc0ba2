-- report:  choices
-- purpose: the agents, versions, environments and services of the runs in a period, of each those that contain what was
--          chosen, then the most frequent, and how many there are
-- grain:   name, value
-- reads:   run_hours_between
with counted as (
    select
        coalesce(nullif(agent_name, ''), service_name) as agent,
        agent_version as version,
        environment,
        service_name as service,
        sum(runs) as runs
    from run_hours_between($since::timestamp, $until::timestamp)
    group by all
),

named as (
    unpivot counted on agent, version, environment, service into name name value value
)

select
    name,
    value,
    count(*) over (partition by name) as total,
    coalesce(contains(lower(value), lower(chosen)), false) as has_chosen
from (
    select
        name,
        value,
        case name
            when 'agent' then $agent::varchar
            when 'version' then $version::varchar
            when 'environment' then $environment::varchar
            else $service::varchar
        end as chosen,
        sum(runs) as runs
    from named
    where value <> ''
    group by name, value
) as choices
qualify
    row_number()
        over (
            partition by name
            order by coalesce(value = chosen, false) desc, has_chosen desc, runs desc, value
        )
    <= $limit
order by name, runs desc, value;

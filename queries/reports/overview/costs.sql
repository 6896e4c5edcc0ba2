-- report:  costs
-- purpose: tokens and cost of the runs of a window, of the failing ones, and of the scores on them
-- grain:   one row
-- reads:   run_hours_between, score_hours_between
-- note:    cost of judges as far as scores name it; null: no cost is known.
with agents as (
    select
        sum(runs)::bigint as runs,
        sum(input_tokens)::bigint as input_tokens,
        sum(output_tokens)::bigint as output_tokens,
        sum(priced_runs)::bigint as n_priced,
        sum(cost_nanousd) / 1e9 as cost_usd,
        sum(failing_cost_nanousd) / 1e9 as failing_cost_usd
    from run_hours_between($since, $until)
    where
        ($agent::varchar is null or agent_name = $agent)
        and ($agent_version::varchar is null or agent_version = $agent_version)
        and ($environment::varchar is null or environment = $environment)
        and ($service::varchar is null or service_name = $service)
),

judges as (
    select
        sum(priced)::bigint as n_priced_scores,
        sum(cost_nanousd) / 1e9 as judges_cost_usd
    from score_hours_between($since, $until)
    where
        ($agent::varchar is null or agent_name = $agent)
        and ($agent_version::varchar is null or agent_version = $agent_version)
        and ($environment::varchar is null or environment = $environment)
        and ($service::varchar is null or service_name = $service)
)

select
    agents.*,
    judges.*
from agents
cross join judges;

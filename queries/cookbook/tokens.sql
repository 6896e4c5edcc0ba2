-- report:  tokens
-- purpose: How many tokens do runs use, by agent and model?
-- grain:   agent, model
-- reads:   selected_runs, few
-- note:    n is the number of runs whose tokens are recorded. Sub-agents are included.
select
    coalesce(agent_name, service_name) as agent,
    model,
    count(*) as runs,
    count(input_tokens) as n,
    sum(input_tokens)::bigint as input_tokens,
    sum(output_tokens)::bigint as output_tokens,
    round(avg(input_tokens), 1) as input_per_run_tokens,
    round(avg(output_tokens), 1) as output_per_run_tokens,
    round(quantile_cont(input_tokens + output_tokens, 0.95), 1) as p95_tokens,
    few(count(input_tokens)) as remark
from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
group by all
order by input_tokens desc nulls last, agent, model;

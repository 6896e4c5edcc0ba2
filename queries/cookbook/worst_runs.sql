-- report:  worst_runs
-- purpose: Which runs have the worst scores?
-- grain:   agent_trace_id
-- reads:   selected_runs
-- note:    the first 20, by the number of failing scores, then by the worst value.
select
    started_at,
    coalesce(agent_name, service_name) as agent,
    agent_version as version,
    failing_score_count as failing_scores,
    score_count as n_scores,
    worst_evaluator,
    round(worst_value, 3) as worst_value,
    worst_explanation,
    left(input, 80) as asked,
    agent_trace_id
from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
where failing_score_count > 0
order by failing_score_count desc, worst_value, started_at desc, agent_trace_id
limit 20;

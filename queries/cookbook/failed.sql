-- report:  failed
-- purpose: What failed, and why?
-- grain:   agent_trace_id
-- reads:   selected_runs
-- period:  24h
-- note:    the newest 100 failing runs. failed_in is the tool or evaluator of the first fault, else the run itself.
select
    started_at,
    coalesce(agent_name, service_name) as agent,
    agent_version as version,
    coalesce(fault_tool, fault_evaluator, 'run') as failed_in,
    first_fault as why,
    left(input, 80) as asked,
    pattern_id,
    agent_trace_id
from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
where failing
order by started_at desc, agent_trace_id
limit 100;

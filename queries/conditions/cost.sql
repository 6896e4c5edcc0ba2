-- condition: cost
-- purpose:   the cost in US dollars, with sub-agents
-- reads:     runs
select agent_trace_id
from runs
where
    cost_usd between $least and $most;

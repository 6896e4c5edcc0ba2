-- condition: tokens
-- purpose:   input and output tokens, with sub-agents
-- reads:     runs
select agent_trace_id
from runs
where
    coalesce(input_tokens + output_tokens, input_tokens, output_tokens) between $least and $most;

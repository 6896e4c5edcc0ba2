-- condition: model
-- purpose:   the model
-- reads:     runs
select agent_trace_id
from runs
where
    model = $text;

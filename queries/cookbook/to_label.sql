-- report:    to_label
-- purpose:   Which runs should a person label first, and why?
-- grain:     target_id
-- reads:     labelling_queue
-- note:      first where people, judges and evaluators disagree, then values within 0.15 of the threshold, then what a
--            single evaluator fails, then a random tenth of what judges are sure of. The first 50.
-- evaluator: only this evaluator
select
    started_at,
    agent_name as agent,
    evaluator,
    reason as why,
    round(value, 3) as value,
    left(explanation, 200) as explanation,
    target_id
from labelling_queue($since::timestamp, $until::timestamp, $agent, $version, $environment, null, $evaluator, 50)
order by place;

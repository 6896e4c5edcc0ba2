-- statement: date_scores_by_targets
-- purpose:   dates the scores of evaluators on runs and calls as if each run had been evaluated right after it began
-- grain:     score_id
-- reads:     scores
update scores
set scored_at = target_time + interval 30 seconds
where
    evaluator_kind in ('code', 'llm')
    and scope in ('trace', 'tool_call')
    and target_time is not null
    and experiment_id is null;

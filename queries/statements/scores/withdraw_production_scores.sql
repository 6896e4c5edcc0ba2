-- statement: withdraw_production_scores
-- purpose:   supersedes the scores that evaluators gave in production to runs that turned out to be part of an
--            experiment
-- reads:     scores
update scores
set superseded_at = $now, superseded_reason = 'experiment'
where
    superseded_at is null
    and experiment_id is null
    and evaluator_kind not in ('human', 'external')
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));

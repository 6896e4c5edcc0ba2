-- statement: withdraw_scores_of_targets
-- purpose:   supersedes the scores of evaluators on sessions that have no turn left, or on tool definitions that no run
--            offers any more
-- reads:     scores
update scores
set superseded_at = $now, superseded_reason = 'target_gone'
where
    superseded_at is null
    and experiment_id is null
    and scope in ('session', 'tool')
    and evaluator_kind not in ('human', 'external')
    and target_id in (select unnest(string_split($target_ids, chr(31))));

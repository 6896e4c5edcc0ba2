-- statement: withdraw_scores_of_runs
-- purpose:   supersedes the scores on runs that have vanished, but for those of experiments
-- reads:     scores
update scores
set superseded_at = $now, superseded_reason = 'target_gone'
where
    superseded_at is null
    and experiment_id is null
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));

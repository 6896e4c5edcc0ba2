-- statement: supersede_unselected_scores
-- purpose:   supersedes the scores of an evaluator on earlier revisions of some runs whose present revision it does not
--            evaluate; returns the run of each, and when its target began
-- reads:     scores, agent_traces
-- note:      no range of time limits what is read, since the start of a run may have changed since it was evaluated.
update scores
set superseded_at = $now, superseded_reason = $reason
where
    superseded_at is null
    and experiment_id is null
    and scope in ('trace', 'tool_call')
    and evaluator = $evaluator
    and evaluator_kind = $kind
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
    and exists (
        select 1
        from agent_traces as runs
        where runs.agent_trace_id = scores.agent_trace_id and runs.revision > scores.revision
    )
returning agent_trace_id, target_time;

-- statement: scored_revisions
-- purpose:   how many revisions of some runs before the present one an evaluator has scored since a time
-- reads:     scores, agent_traces
-- note:      an evaluation that failed counts, since it has a cost too. With scope tool_call a run has many scores per
--            revision.
select
    agent_trace_id,
    count(distinct scores.revision) as revisions
from scores
inner join agent_traces as runs using (agent_trace_id)
where
    scores.experiment_id is null
    and scores.evaluator = $evaluator
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
    and scores.scored_at >= $since
    and scores.revision < runs.revision
group by agent_trace_id;

-- statement: runs_scored_in_production
-- purpose:   which of some runs have scores that evaluators gave them in production, and that count
-- reads:     scores
select distinct agent_trace_id
from scores
where
    superseded_at is null
    and experiment_id is null
    and evaluator_kind not in ('human', 'external')
    and agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))));

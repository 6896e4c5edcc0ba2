-- statement: runs_where_after
-- purpose:   as runs_where, for a condition that uses scores of other evaluators: `scores` is a map from the names in
--            $after to the values of their active scores on the present revision, of scores on calls the lowest
-- reads:     agent_traces, scores
-- splices:   condition
-- note:      an evaluator whose kind changed has an active score of each kind; the newer one counts. All of scores is
--            read, 50 ms for seven million; bounds of target_time took twenty times as long.
with selected_runs as materialized (
    select *
    from agent_traces
    where agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31))))
),

values_by_kind as (
    select
        agent_trace_id,
        revision,
        evaluator,
        min(value) as value,
        max(scored_at) as scored_at
    from scores
    where
        superseded_at is null
        and experiment_id is null
        and list_contains($after::varchar[], evaluator)
        and evaluator_kind not in ('human', 'external')
        and agent_trace_id in (select agent_trace_id from selected_runs)
    group by agent_trace_id, revision, evaluator, evaluator_kind
),

value_by_evaluator as (
    select
        agent_trace_id,
        revision,
        evaluator,
        arg_max_null(value, scored_at) as value
    from values_by_kind
    group by agent_trace_id, revision, evaluator
),

scores_of_runs as (
    select
        agent_trace_id,
        revision,
        map_from_entries(list((evaluator, value))) as scores
    from value_by_evaluator
    group by agent_trace_id, revision
),

candidates as materialized (
    select
        selected_runs.*,
        coalesce(scores_of_runs.scores, map([]::varchar[], []::double[])) as scores
    from selected_runs
    left join scores_of_runs using (agent_trace_id, revision)
)

select agent_trace_id
from candidates
where
    (
        ${condition}
    );

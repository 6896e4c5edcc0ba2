-- statement: runs_where_after
-- purpose:   as runs_where, for a condition that uses what other evaluators said: `scores` is a map from the names of
--            $after to the values of their active scores on the present revision, of scores on calls the least
-- reads:     agent_traces, scores
-- note:      an evaluator that changed its kind has an active score of either; the newer one counts. All of
--            scores is looked through, 50 ms for seven million; bounds of target_time made that twenty times as much.
with runs_asked_about as materialized (
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
        and list_contains($after::varchar[], evaluator)
        and evaluator_kind not in ('human', 'external')
        and agent_trace_id in (select agent_trace_id from runs_asked_about)
    group by agent_trace_id, revision, evaluator, evaluator_kind
),

value_of_each as (
    select
        agent_trace_id,
        revision,
        evaluator,
        arg_max_null(value, scored_at) as value
    from values_by_kind
    group by agent_trace_id, revision, evaluator
),

told as (
    select
        agent_trace_id,
        revision,
        map_from_entries(list((evaluator, value))) as scores
    from value_of_each
    group by agent_trace_id, revision
),

asked_about as materialized (
    select
        runs_asked_about.*,
        coalesce(told.scores, map([]::varchar[], []::double[])) as scores
    from runs_asked_about
    left join told using (agent_trace_id, revision)
)

select agent_trace_id
from asked_about
where
    (
        true
    );

-- report:  stale_scores
-- purpose: how many runs have an active score of an evaluator on an earlier revision although the evaluator has passed
--          the present one, with the first of them
-- grain:   evaluator, fault
-- reads:   agent_traces, deferrals, scores
-- note:    a deferred run may still be evaluated. The kinds tell an evaluator from an earlier one of the same name.
with forms as (
    select
        unnest($evaluators::varchar[]) as evaluator,
        unnest($evaluator_kinds::varchar[]) as evaluator_kind,
        unnest($first_seqs::bigint[]) as first_seq,
        unnest($seqs::bigint[]) as seq
),

revised as (
    select
        agent_trace_id,
        assembled_seq,
        revision
    from agent_traces
    where revision > 1 and experiment_id is null
)

select
    forms.evaluator,
    'stale' as fault,
    count(distinct scores.agent_trace_id) as targets,
    list_sort(list_distinct(list(scores.agent_trace_id)))[:5] as target_ids
from scores
inner join forms using (evaluator, evaluator_kind)
inner join revised
    on
        scores.agent_trace_id = revised.agent_trace_id
        and scores.revision < revised.revision
where
    scores.superseded_at is null
    and scores.experiment_id is null
    and revised.assembled_seq > forms.first_seq
    and revised.assembled_seq <= forms.seq
    and scores.scope in ('trace', 'tool_call')
    and not exists (
        select 1
        from deferrals as later
        where later.evaluator = scores.evaluator and later.target_id = scores.agent_trace_id
    )
group by forms.evaluator
order by forms.evaluator;

-- report:  ledger_of_runs
-- purpose: how many runs that evaluators have passed and selected have no score of theirs on their present revision
--          (missing), or no active one (not_active), with the first of each
-- grain:   evaluator, fault
-- reads:   runs_with_scores, deferrals, scores, is_sampled
-- splices: condition
-- note:    the condition may use `scores` as in runs_where_after. Not a fault: a deferred run, a run without a score of
--          an evaluator that needs a reference, and a missing score up to selected_seq. Each evaluator is a bit, so
--          that scores are read once; two runs with the same hash would hide a fault.
with forms as (
    select
        unnest($evaluators::varchar[]) as evaluator,
        unnest($evaluator_versions::bigint[]) as evaluator_version,
        unnest($config_hashes::varchar[]) as config_hash,
        unnest($first_seqs::bigint[]) as first_seq,
        unnest($selected_seqs::bigint[]) as selected_seq,
        unnest($seqs::bigint[]) as seq,
        unnest($only_with_reference::boolean[]) as only_with_reference,
        1::ubigint << unnest(range(len($evaluators::varchar[])))::integer as bit
),

shares as (
    select
        agent_trace_id,
        assembled_seq,
        revision,
        case
            when (
                ${condition}
            ) then $sample::double
            else $else_sample::double
        end as share
    from runs_with_scores($after::varchar[])
    where
        assembled_seq > (select min(first_seq) from forms)
        and assembled_seq <= (select max(seq) from forms)
),

selected as (
    select
        agent_trace_id,
        assembled_seq,
        hash(agent_trace_id, revision) as revision_of_run
    from shares
    where is_sampled($sampled_by, agent_trace_id, share)
),

scored as (
    select
        hash(scores.agent_trace_id, scores.revision) as revision_of_run,
        bit_or(forms.bit) filter (
            where scores.evaluator_version = forms.evaluator_version and scores.config_hash = forms.config_hash
        ) as evaluated,
        bit_or(forms.bit) filter (where scores.superseded_at is null) as active
    from scores
    inner join forms using (evaluator)
    where
        scores.experiment_id is null
        and scores.scope = 'trace'
        and scores.evaluator_kind not in ('human', 'external')
    group by revision_of_run
),

targets as (
    select
        selected.agent_trace_id,
        selected.assembled_seq,
        coalesce(scored.evaluated, 0) as evaluated,
        coalesce(scored.active, 0) as active
    from selected
    left join scored using (revision_of_run)
),

faulty as (
    select
        agent_trace_id,
        assembled_seq,
        ~evaluated & (select coalesce(bit_or(bit) filter (where not only_with_reference), 0) from forms) as missing,
        evaluated & ~active as not_active
    from targets
)

select
    forms.evaluator,
    case when faulty.missing & forms.bit <> 0 then 'missing' else 'not_active' end as fault,
    count(*) as targets,
    min(faulty.agent_trace_id, 5) as target_ids
from faulty
inner join forms
    on
        (
            faulty.not_active & forms.bit <> 0
            or (faulty.missing & forms.bit <> 0 and faulty.assembled_seq > forms.selected_seq)
        )
        and faulty.assembled_seq > forms.first_seq
        and faulty.assembled_seq <= forms.seq
where
    faulty.missing | faulty.not_active <> 0
    and not exists (
        select 1
        from deferrals as deferred
        where deferred.evaluator = forms.evaluator and deferred.target_id = faulty.agent_trace_id
    )
group by all
order by all;

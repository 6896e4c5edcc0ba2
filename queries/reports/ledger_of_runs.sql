-- report:  ledger_of_runs
-- purpose: how many runs evaluators have looked at and wanted that have no score of theirs on their present revision
--          (missing), or none that is active (not_active), with the first of each
-- grain:   evaluator, fault
-- reads:   agent_traces, due_later, scores, sample_place
-- note:    a condition that a user wrote takes the place of the line that says `true`, and may use `scores` as in
--          runs_where_after; the sample is that of sample_place. What is put off is no fault, nor that an
--          evaluator which wants a reference is silent, nor what is missing up to selected_seq. Each evaluator is a
--          bit, so that scores are read once; two runs of one hash would hide a fault.
with forms as (
    select
        unnest($evaluators::varchar[]) as evaluator,
        unnest($evaluator_versions::bigint[]) as evaluator_version,
        unnest($config_hashes::varchar[]) as config_hash,
        unnest($first_seqs::bigint[]) as first_seq,
        unnest($selected_seqs::bigint[]) as selected_seq,
        unnest($seqs::bigint[]) as seq,
        unnest($may_be_silent::boolean[]) as may_be_silent,
        1::ubigint << unnest(range(len($evaluators::varchar[])))::integer as bit
),

asked_about as (
    select
        runs.*,
        coalesce(others.scores, map([]::varchar[], []::double[])) as scores
    from agent_traces as runs
    left join values_said($after::varchar[]) as others
        on hash(runs.agent_trace_id, runs.revision) = others.revision_of_run
    where
        runs.assembled_seq > (select min(first_seq) from forms)
        and runs.assembled_seq <= (select max(seq) from forms)
),

shares as (
    select
        agent_trace_id,
        assembled_seq,
        revision,
        case
            when (
                true
            ) then $sample::double
            else $else_sample::double
        end as share
    from asked_about
),

wanted as (
    select
        agent_trace_id,
        assembled_seq,
        hash(agent_trace_id, revision) as revision_of_run
    from shares
    where
        share >= 1
        or (
            share > 0
            and sample_place($sampled_by, agent_trace_id) < share
        )
),

scored as (
    select
        hash(scores.agent_trace_id, scores.revision) as revision_of_run,
        bit_or(forms.bit) filter (
            where scores.evaluator_version = forms.evaluator_version and scores.config_hash = forms.config_hash
        ) as judged,
        bit_or(forms.bit) filter (where scores.superseded_at is null) as active
    from scores
    inner join forms using (evaluator)
    where scores.scope = 'trace' and scores.evaluator_kind not in ('human', 'external')
    group by revision_of_run
),

found as (
    select
        wanted.agent_trace_id,
        wanted.assembled_seq,
        coalesce(scored.judged, 0) as judged,
        coalesce(scored.active, 0) as active
    from wanted
    left join scored using (revision_of_run)
),

faulty as (
    select
        agent_trace_id,
        assembled_seq,
        ~judged & (select coalesce(bit_or(bit) filter (where not may_be_silent), 0) from forms) as missing,
        judged & ~active as not_active
    from found
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
        from due_later as later
        where later.evaluator = forms.evaluator and later.target_id = faulty.agent_trace_id
    )
group by all
order by all;

-- report:  ledger_of_sessions
-- purpose: as ledger_of_runs, for an evaluator of sessions: those of which it has looked at every run
-- grain:   fault
-- reads:   agent_traces, due_later, scores, sample_place
with wanted as (
    select
        'session:' || session_id as target_id,
        max(assembled_seq) as seq,
        sum(revision) filter (where parent_agent_trace_id is null) as revision
    from agent_traces
    where session_id is not null
    group by session_id
    having
        max(assembled_seq) > $first_seq
        and max(assembled_seq) <= $seq
        and count(*) filter (where parent_agent_trace_id is null) > 0
),

scored as (
    select
        target_id,
        revision,
        bool_or(evaluator_version = $evaluator_version and config_hash = $config_hash) as is_judged,
        bool_or(superseded_at is null) as is_active
    from scores
    where scope = 'session' and evaluator = $evaluator and evaluator_kind not in ('human', 'external')
    group by all
)

select
    $evaluator as evaluator,
    case when scored.is_judged then 'not_active' else 'missing' end as fault,
    count(*) as targets,
    min(wanted.target_id, 5) as target_ids
from wanted
left join scored using (target_id, revision)
where
    not coalesce(scored.is_judged and scored.is_active, false)
    and (coalesce(scored.is_judged, false) or wanted.seq > $selected_seq)
    and (
        $sample >= 1
        or sample_place($evaluator, wanted.target_id) < $sample
    )
    and wanted.target_id not in (
        select target_id
        from due_later
        where evaluator = $evaluator
    )
group by all
order by all;

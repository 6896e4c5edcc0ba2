-- report:  ledger_of_tools
-- purpose: as ledger_of_runs, for an evaluator of tool definitions
-- grain:   fault
-- reads:   offered_tools, due_later, scores, sample_place
with wanted as (
    select
        'tool:' || definition_hash as target_id,
        seq
    from offered_tools
    where seq > $first_seq and seq <= $seq
),

scored as (
    select
        target_id,
        bool_or(evaluator_version = $evaluator_version and config_hash = $config_hash) as is_judged,
        bool_or(superseded_at is null) as is_active
    from scores
    where scope = 'tool' and evaluator = $evaluator and evaluator_kind not in ('human', 'external')
    group by all
)

select
    $evaluator as evaluator,
    case when scored.is_judged then 'not_active' else 'missing' end as fault,
    count(*) as targets,
    min(wanted.target_id, 5) as target_ids
from wanted
left join scored using (target_id)
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

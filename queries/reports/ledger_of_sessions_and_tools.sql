-- report:  ledger_of_sessions_and_tools
-- purpose: as ledger_of_runs, for an evaluator of $scope session, of which it has passed every run, or tool
-- grain:   fault
-- reads:   agent_traces, offered_tools, deferrals, scores, is_sampled
-- note:    a session counts as its turns in their revisions; a tool definition has no revision.
with targets as (
    select
        'session:' || session_id as target_id,
        max(assembled_seq) as seq,
        sum(revision) filter (where parent_agent_trace_id is null) as revision
    from agent_traces
    where $scope = 'session' and session_id is not null and experiment_id is null
    group by session_id
    having count(*) filter (where parent_agent_trace_id is null) > 0
    union all
    select
        'tool:' || definition_hash as target_id,
        seq,
        null as revision
    from offered_tools
    where $scope = 'tool'
),

scored as (
    select
        target_id,
        revision,
        bool_or(evaluator_version = $evaluator_version and config_hash = $config_hash) as is_evaluated,
        bool_or(superseded_at is null) as is_active
    from scores
    where
        experiment_id is null
        and scope = $scope
        and evaluator = $evaluator
        and evaluator_kind not in ('human', 'external')
    group by all
)

select
    $evaluator as evaluator,
    case when scored.is_evaluated then 'not_active' else 'missing' end as fault,
    count(*) as targets,
    min(targets.target_id, 5) as target_ids
from targets
left join scored on targets.target_id = scored.target_id and targets.revision is not distinct from scored.revision
where
    targets.seq > $first_seq
    and targets.seq <= $seq
    and not coalesce(scored.is_evaluated and scored.is_active, false)
    and (coalesce(scored.is_evaluated, false) or targets.seq > $selected_seq)
    and is_sampled($evaluator, targets.target_id, $sample)
    and targets.target_id not in (
        select target_id
        from deferrals
        where evaluator = $evaluator
    )
group by all
order by all;

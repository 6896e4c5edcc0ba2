-- report:  ledger_of_calls
-- purpose: as ledger_of_runs, for an evaluator that gives a score a tool call, or one on the whole run where it has
--          nothing to say of its calls
-- grain:   fault
-- reads:   agent_traces, tool_calls, due_later, scores, sample_place
-- note:    a condition that a user wrote takes the place of the line that says `true`, and may use `scores` as in
--          runs_where_after.
with asked_about as (
    select
        runs.*,
        coalesce(others.scores, map([]::varchar[], []::double[])) as scores
    from agent_traces as runs
    left join values_said($after::varchar[]) as others
        on hash(runs.agent_trace_id, runs.revision) = others.revision_of_run
    where
        runs.assembled_seq > $first_seq
        and runs.assembled_seq <= $seq
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
        revision
    from shares
    where
        (
            share >= 1
            or (
                share > 0
                and sample_place($evaluator, agent_trace_id) < share
            )
        )
        and agent_trace_id not in (
            select target_id
            from due_later
            where evaluator = $evaluator
        )
),

scored as (
    select
        agent_trace_id,
        revision,
        tool_call_position,
        bool_or(evaluator_version = $evaluator_version and config_hash = $config_hash) as is_judged,
        bool_or(superseded_at is null) as is_active
    from scores
    where scope = 'tool_call' and evaluator = $evaluator and evaluator_kind not in ('human', 'external')
    group by all
),

own as (
    select distinct agent_trace_id
    from tool_calls
    where child_agent_trace_id is null and ($include_foreign_calls::boolean or not is_foreign)
),

found as (
    select
        wanted.agent_trace_id || coalesce('#' || calls.position, '') as target_id,
        wanted.assembled_seq,
        coalesce(of_call.is_judged, false) or coalesce(of_run.is_judged, false) as is_judged,
        coalesce(of_call.is_active, false) or coalesce(of_run.is_active, false) as is_active
    from wanted
    left join own on wanted.agent_trace_id = own.agent_trace_id
    left join tool_calls as calls
        on
            wanted.agent_trace_id = calls.agent_trace_id
            and ($include_foreign_calls::boolean or not calls.is_foreign)
            and (
                calls.child_agent_trace_id is null
                or coalesce($include_sub_agents::boolean, own.agent_trace_id is null)
            )
    left join scored as of_call
        on
            wanted.agent_trace_id = of_call.agent_trace_id
            and wanted.revision = of_call.revision
            and calls.position = of_call.tool_call_position
    left join scored as of_run
        on
            wanted.agent_trace_id = of_run.agent_trace_id
            and wanted.revision = of_run.revision
            and of_run.tool_call_position is null
)

select
    $evaluator as evaluator,
    case when is_judged then 'not_active' else 'missing' end as fault,
    count(*) as targets,
    min(target_id, 5) as target_ids
from found
where (is_judged and not is_active) or (not is_judged and not $may_be_silent and assembled_seq > $selected_seq)
group by all
order by all;

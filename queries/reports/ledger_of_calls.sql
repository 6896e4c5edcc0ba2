-- report:  ledger_of_calls
-- purpose: as ledger_of_runs, for an evaluator of scope tool_call, which gives each call a score, or the whole run
--          where it has none for its calls
-- grain:   fault
-- reads:   runs_with_scores, tool_calls, deferrals, scores, is_sampled
-- splices: condition
-- note:    the condition may use `scores` as in runs_where_after.
with shares as (
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
    where assembled_seq > $first_seq and assembled_seq <= $seq
),

selected as (
    select
        agent_trace_id,
        assembled_seq,
        revision
    from shares
    where
        is_sampled($evaluator, agent_trace_id, share)
        and agent_trace_id not in (
            select target_id
            from deferrals
            where evaluator = $evaluator
        )
),

scored as (
    select
        agent_trace_id,
        revision,
        tool_call_position,
        bool_or(evaluator_version = $evaluator_version and config_hash = $config_hash) as is_evaluated,
        bool_or(superseded_at is null) as is_active
    from scores
    where
        experiment_id is null
        and scope = 'tool_call'
        and evaluator = $evaluator
        and evaluator_kind not in ('human', 'external')
    group by all
),

runs_with_own_calls as (
    select distinct agent_trace_id
    from tool_calls
    where child_agent_trace_id is null and ($include_foreign_calls::boolean or not is_foreign)
),

targets as (
    select
        selected.agent_trace_id || coalesce('#' || calls.position, '') as target_id,
        selected.assembled_seq,
        coalesce(of_call.is_evaluated, false) or coalesce(of_run.is_evaluated, false) as is_evaluated,
        coalesce(of_call.is_active, false) or coalesce(of_run.is_active, false) as is_active
    from selected
    left join runs_with_own_calls as own on selected.agent_trace_id = own.agent_trace_id
    left join tool_calls as calls
        on
            selected.agent_trace_id = calls.agent_trace_id
            and ($include_foreign_calls::boolean or not calls.is_foreign)
            and (
                calls.child_agent_trace_id is null
                or coalesce($include_sub_agents::boolean, own.agent_trace_id is null)
            )
    left join scored as of_call
        on
            selected.agent_trace_id = of_call.agent_trace_id
            and selected.revision = of_call.revision
            and calls.position = of_call.tool_call_position
    left join scored as of_run
        on
            selected.agent_trace_id = of_run.agent_trace_id
            and selected.revision = of_run.revision
            and of_run.tool_call_position is null
)

select
    $evaluator as evaluator,
    case when is_evaluated then 'not_active' else 'missing' end as fault,
    count(*) as targets,
    min(target_id, 5) as target_ids
from targets
where
    (is_evaluated and not is_active)
    or (not is_evaluated and not $only_with_reference and assembled_seq > $selected_seq)
group by all
order by all;

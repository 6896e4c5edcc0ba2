-- view:    failures
-- purpose: what went wrong in runs of production: failing scores, failed tool calls and errors of runs, each with its
--          pattern, which leaves out what differs from one run to the next
-- grain:   source, target_id, position, evaluator, evaluator_kind, author
-- reads:   agent_traces, latest_scores, tool_calls, failure_words, error_class, error_pattern, pattern_id
-- note:    source is score, call or error. agent_trace_id is the outermost run; agent and so on are those of the run
--          that failed. A failing score that lists calls (tool_error, tool_call_validity) has a row for each that
--          failed or was invalid. A failed call thus has a row of its own and another one in such a score, and is
--          listed even if a retry made it good. External scores are left out. What a failed call says comes from the
--          call itself, as in run_outcomes_of, so that its pattern is that of the run's first fault.
create or replace view failures as
with scored as not materialized (
    select
        *,
        case
            when evaluator_kind = 'code' and evaluator_type in ('tool_error', 'tool_call_validity')
                then list_filter(
                    from_json(
                        details -> 'calls',
                        '[{"position": "BIGINT", "name": "VARCHAR", "status": "VARCHAR", "rule": "VARCHAR",
                        "error": "VARCHAR", "faults": ["VARCHAR"]}]'
                    ),
                    lambda call: call['status'] in ('error', 'invalid')
                )
        end as calls
    from latest_scores
    where not passed and status = 'scored' and scope in ('trace', 'tool_call') and evaluator_kind <> 'external'
),

found as (
    select
        'score' as source,
        target_id,
        evaluator,
        evaluator_kind,
        author,
        agent_trace_id,
        target_time as time,
        coalesce(explanation, label, '') as text,
        value,
        evaluator as evaluator_of_pattern
    from scored
    where scope = 'trace' and coalesce(len(calls), 0) = 0
    union all by name
    select
        'score' as source,
        listed.target_id,
        listed.evaluator,
        listed.evaluator_kind,
        listed.author,
        listed.agent_trace_id,
        (listed.call)['position'] as position,
        (listed.call)['name'] as tool,
        listed.target_time as time,
        coalesce(
            nullif(array_to_string((listed.call)['faults'], '; '), ''),
            case (listed.call)['status'] when 'error' then failure_words(coalesce(calls.error, calls.result)) end,
            nullif(concat_ws(' ', (listed.call)['error'], '(' || (listed.call)['rule'] || ')'), ''),
            (listed.call)['status']
        ) as text,
        listed.value
    from (
        select
            *,
            unnest(calls) as call
        from scored
        where scope = 'trace'
    ) as listed
    left join tool_calls as calls
        on listed.agent_trace_id = calls.agent_trace_id and (listed.call)['position'] = calls.position
    union all by name
    select
        'score' as source,
        scores.target_id,
        scores.evaluator,
        scores.evaluator_kind,
        scores.author,
        scores.agent_trace_id,
        scores.tool_call_position as position,
        calls.name as tool,
        scores.target_time as time,
        coalesce(scores.explanation, scores.label, '') as text,
        scores.value,
        scores.evaluator as evaluator_of_pattern
    from scored as scores
    left join tool_calls as calls
        on scores.agent_trace_id = calls.agent_trace_id and scores.tool_call_position = calls.position
    where scores.scope = 'tool_call'
    union all by name
    select
        'call' as source,
        agent_trace_id || '#' || (call)['position'] as target_id,
        agent_trace_id,
        (call)['position'] as position,
        (call)['name'] as tool,
        started_at as time,
        coalesce(failure_words((call)['error']), 'error') as text
    from (
        select
            agent_trace_id,
            started_at,
            unnest(
                from_json(failed_calls, '[{"position": "BIGINT", "name": "VARCHAR", "error": "VARCHAR"}]')
            ) as call
        from agent_traces
        where failed_calls is not null
    ) as failed
    union all by name
    select
        'error' as source,
        agent_trace_id as target_id,
        agent_trace_id,
        started_at as time,
        error as text
    from agent_traces
    where error is not null
)

select
    found.source,
    found.target_id,
    runs.root_agent_trace_id as agent_trace_id,
    runs.trace_id,
    found.time,
    runs.agent_name,
    runs.agent_version,
    runs.model,
    runs.environment,
    runs.service_name,
    found.evaluator,
    found.evaluator_kind,
    found.author,
    found.tool,
    found.position,
    found.value,
    left(found.text, 500) as text,
    error_class(found.text) as class,
    error_pattern(found.text) as pattern,
    pattern_id(
        if(found.evaluator_of_pattern is null, found.tool, null),
        found.evaluator_of_pattern,
        error_class(found.text),
        error_pattern(found.text)
    ) as pattern_id
from found
inner join agent_traces as runs on found.agent_trace_id = runs.agent_trace_id
where runs.experiment_id is null;

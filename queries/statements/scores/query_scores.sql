-- statement: query_scores
-- purpose:   the scores of an evaluator of kind sql: one on each due run, from the result of its query
-- reads:     due and answer (registered), scores
-- note:      due and answer are registered by the caller. score_id is computed as in
--            evaluators/definition/score_record.py. Runs never become Python objects: one query evaluates a hundred
--            thousand.
with
answered as (
    select
        due.*,
        answer.* exclude (agent_trace_id),
        case
            when $failure is not null then 'error'
            when answer.value is null and answer.label is null and answer.passed is null then 'skipped'
            when answer.value is not null and (isnan(answer.value) or answer.value not between 0 and 1) then 'error'
            else 'scored'
        end as status,
        answer.agent_trace_id is not null as is_answered
    from due
    left join answer using (agent_trace_id)
)

select *
from scores
where false
union all by name
select
    agent_trace_id as target_id,
    'trace' as scope,
    agent_trace_id,
    trace_id,
    agent_span_id as span_id,
    session_id,
    agent_name,
    started_at as target_time,
    revision,
    $evaluator as evaluator,
    $evaluator_type as evaluator_type,
    'sql' as evaluator_kind,
    $evaluator_version as evaluator_version,
    $config_hash as config_hash,
    explanation,
    coalesce(details, '{}') as details,
    status,
    $author as author,
    $now as scored_at,
    left(
        sha256(
            concat_ws(
                chr(31), agent_trace_id, revision, $evaluator, $evaluator_version, $config_hash, '', 'sql', $author
            )
        ),
        32
    ) as score_id,
    if(status = 'scored', value, null) as value,
    if(status = 'scored', label, null) as label,
    if(status = 'scored', coalesce(passed, value >= $threshold), null) as passed,
    if(status = 'scored' and value is not null, $threshold, null) as threshold,
    case
        when status = 'scored' then null
        when $failure is not null then 'its query failed: ' || $failure
        when status = 'error' then 'the query returned no score: ' || value || ' is not between 0 and 1'
        when not is_answered then 'the query returned no row for this run'
        else coalesce(reason, 'the query returned no value for this run')
    end as reason
from answered;

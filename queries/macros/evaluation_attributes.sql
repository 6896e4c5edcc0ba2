-- macro:   evaluation_attributes
-- purpose: a row of scores as the attributes of the event gen_ai.evaluation.result
-- note:    the standard keys are those of https://github.com/open-telemetry/semantic-conventions-genai
--          (model/gen-ai/events.yaml); others are under tracegrade.evaluation.*
--          What an explanation quotes is content, and is left out; it stays in the details, which are not sent.
--          Missing values are left out: a skipped score has no gen_ai.evaluation.score.value.
create or replace macro evaluation_attributes(score) as
json_merge_patch('{}', json_object(
    'gen_ai.evaluation.name', score.evaluator,
    'gen_ai.evaluation.score.value', score.value,
    'gen_ai.evaluation.score.label',
    coalesce(score.label, case when score.passed then 'pass' when not score.passed then 'fail' end),
    'gen_ai.evaluation.explanation',
    replace(
        coalesce(score.explanation, score.reason), coalesce(score.details ->> '$.quotes[0].text', chr(1)), '…'
    ),
    'error.type', case when score.status = 'error' then 'evaluation_error' end,
    'tracegrade.evaluation.id', score.score_id,
    'tracegrade.evaluation.status', score.status,
    'tracegrade.evaluation.scope', score.scope,
    'tracegrade.evaluation.target_id', score.target_id,
    'tracegrade.evaluation.passed', score.passed,
    'tracegrade.evaluation.threshold', score.threshold,
    'tracegrade.evaluation.type', score.evaluator_type,
    'tracegrade.evaluation.kind', score.evaluator_kind,
    'tracegrade.evaluation.version', score.evaluator_version,
    'tracegrade.evaluation.revision', score.revision,
    'tracegrade.evaluation.author', score.author
));

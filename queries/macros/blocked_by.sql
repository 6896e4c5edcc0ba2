-- macro:   blocked_by
-- purpose: the name of the first guardrail that denied, of the guardrails of a run; null if none did
create or replace macro blocked_by(guardrails) as
list_extract(
    json_extract_string(guardrails, '$[*].name'),
    list_position(json_extract_string(guardrails, '$[*].decision'), 'deny')
);

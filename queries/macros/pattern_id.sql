-- macro:   pattern_id
-- purpose: the id of a failure pattern: the same tool, evaluator, kind of error and pattern have the same
create or replace macro pattern_id(tool, evaluator, class, pattern) as
left(md5(concat_ws(chr(31), coalesce(tool, ''), coalesce(evaluator, ''), coalesce(class, ''), pattern)), 12);

-- macro:   attr
-- purpose: the value of one attribute as text, null where it is absent: attr(attributes, 'gen_ai.request.model')
-- note:    ->> binds less tightly than = and AND before DuckDB 2, so that `attributes ->> 'a' = 'x'` fails without
--          parentheses. The name is used literally: DuckDB would read names that begin with $ or / as paths.
--          https://www.rfc-editor.org/rfc/rfc6901
create or replace macro attr(attributes, name) as
json_extract_string(attributes, '/' || replace(replace(name, '~', '~0'), '/', '~1'));

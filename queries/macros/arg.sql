-- macro:   arg
-- purpose: one argument of a tool call as text, null where it is absent: arg(tool_calls, 'city'), also with an alias of the
--          table or with its column args; a dot or [n] goes deeper: arg(calls, 'stay.nights'), arg(calls, 'cities[0]')
-- note:    typeof is known when the query is planned, so that only one of the branches is left, and of a row only the
--          column args is read. A name with other signs than letters, digits, _ and - is a path: '$."the name"'.
create or replace macro arg(tool_call, path) as
case
    when typeof(tool_call) = 'JSON'
        then json_extract_string(tool_call::json, if(left(path, 1) in ('$', '/'), path, '$.' || path))
    else json_extract_string(tool_call.args, if(left(path, 1) in ('$', '/'), path, '$.' || path))
end;

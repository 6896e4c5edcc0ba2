-- macro:   arg
-- purpose: one argument of a tool call as text, null where it is absent: arg(args, 'city'); a dot or [n] goes deeper:
--          arg(args, 'stay.nights'), arg(args, 'cities[0]'). Also with the table or its alias: arg(calls, 'city')
-- note:    typeof is known when the query is planned, so that only one of the branches is left. DuckDB reads all
--          columns of a table that is given as a whole. A name with other signs than letters, digits, _ and - is a
--          path: '$."the name"'.
create or replace macro arg(tool_call, path) as
case
    when typeof(tool_call) = 'JSON'
        then json_extract_string(tool_call::json, if(left(path, 1) in ('$', '/'), path, '$.' || path))
    else json_extract_string(tool_call.args, if(left(path, 1) in ('$', '/'), path, '$.' || path))
end;

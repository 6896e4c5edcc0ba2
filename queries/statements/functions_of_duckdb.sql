-- statement: functions_of_duckdb
-- purpose:   those of some names that DuckDB gives to a function of its own
select distinct function_name
from system.main.duckdb_functions()
where internal and function_name in (select unnest($1::varchar[]))
order by function_name;

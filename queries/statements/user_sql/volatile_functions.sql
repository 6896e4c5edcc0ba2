-- statement: volatile_functions
-- purpose:   the functions that may return another value at each call
-- reads:     duckdb_functions
select distinct lower(function_name) as name
from duckdb_functions()
where stability = 'VOLATILE';

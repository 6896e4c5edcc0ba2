-- statement: volatile_functions
-- purpose:   the functions whose answer is another one whenever they are asked
-- reads:     duckdb_functions
select distinct lower(function_name) as name
from duckdb_functions()
where stability = 'VOLATILE';

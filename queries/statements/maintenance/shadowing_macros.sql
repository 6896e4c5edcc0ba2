-- statement: shadowing_macros
-- purpose:   the macros of a database that have the name of a built-in function of DuckDB
-- note:      calls no function by a short name, since such a macro may replace it; takes 15 ms, since DuckDB lists
--            three thousand built-in functions
with functions as materialized (
    select
        function_name,
        internal,
        schema_name
    from system.main.duckdb_functions()
)

select macros.function_name
from functions as macros
semi join functions as builtins on macros.function_name = builtins.function_name and builtins.internal
where not macros.internal and macros.schema_name = 'main';

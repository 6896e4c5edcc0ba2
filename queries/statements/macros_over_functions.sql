-- statement: macros_over_functions
-- purpose:   the macros of a database that have the name of a function of DuckDB's own
-- note:      calls nothing by a short name, since such a macro may be behind it; takes 15 ms, for DuckDB lists three
--            thousand functions of its own
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

-- statement: relations_of_database
-- purpose:   the tables and views in the main schema of a database, by name
-- note:      evaluates none of them. DuckDB's own functions are called by their full names, which a macro of the
--            database does not replace.
select
    'table' as kind,
    table_name as name
from system.main.duckdb_tables()
where not internal and not temporary and schema_name = 'main'
union all
select
    'view' as kind,
    view_name as name
from system.main.duckdb_views()
where not internal and not temporary and schema_name = 'main';

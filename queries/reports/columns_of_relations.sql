-- report:  columns_of_relations
-- purpose: the columns of all tables and views of a store, in their order
-- grain:   relation, column_index
-- reads:   duckdb_columns
select
    table_name as relation,
    column_index,
    column_name as name,
    data_type as type
from duckdb_columns()
where schema_name = 'main' and not internal
order by relation, column_index;

-- statement: query_columns
-- purpose:   the columns that a query returns, without its rows
-- reads:     the tables of the query
-- splices:   query
select *
from (
    ${query}
) as answer
where false;

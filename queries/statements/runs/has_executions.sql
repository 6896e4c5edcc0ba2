-- statement: has_executions
-- purpose:   whether there are lone tool calls, which few stores have
-- reads:     executions
select exists(select 1 from executions) as has_executions;

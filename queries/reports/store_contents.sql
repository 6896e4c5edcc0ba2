-- report:  store_contents
-- purpose: the numbers of rows in a store, printed after a copy
-- grain:   one row
-- reads:   spans, agent_traces, scores
select
    (select count(*) from spans) as spans,
    (select count(*) from agent_traces) as runs,
    (select count(*) from scores) as scores;

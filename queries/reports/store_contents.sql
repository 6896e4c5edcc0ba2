-- report:  store_contents
-- purpose: how much a store holds, for whoever has just copied it
-- grain:   one row
-- reads:   spans, agent_traces, scores
select
    (select count(*) from spans) as spans,
    (select count(*) from agent_traces) as runs,
    (select count(*) from scores) as scores;

-- report:  traces_of_id
-- purpose: the traces that an id means: one of that id, or those whose id begins so
-- grain:   trace_id
-- reads:   spans
select
    trace_id,
    count(*) as spans
from spans
where starts_with(trace_id, $id)
group by trace_id
order by trace_id
limit 20;

-- report:  exported_spans
-- purpose: the spans that began on a day, for an export
-- grain:   trace_id, span_id
-- reads:   spans
select *
from spans
where start_time >= $day::date and start_time < $day::date + interval 1 day;

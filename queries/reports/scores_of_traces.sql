-- report:  scores_of_traces
-- purpose: the scores on some traces, for `tracegrade import`: how many, how many of them errors, with the reason of
--          one
-- grain:   evaluator
-- reads:   latest_scores
select
    evaluator,
    count(*) as scores,
    count(*) filter (where status = 'error') as errors,
    any_value(reason) filter (where status = 'error') as reason
from latest_scores
where
    evaluator_kind not in ('human', 'external')
    and trace_id in (select unnest($trace_ids::varchar[]))
group by evaluator
order by evaluator;

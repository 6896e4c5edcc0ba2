-- report:  failure_patterns
-- purpose: Which faults made runs fail, and since when?
-- grain:   pattern_id
-- reads:   selected_runs, few
-- note:    the 25 most frequent. A run counts once, by its first fault. pattern is its text without ids, numbers,
--          quotes and paths; n_failing are all failing runs of the period, and first_seen_at is of the period.
select
    fault_tool as tool,
    fault_evaluator as evaluator,
    fault_class as class,
    fault_pattern as pattern,
    count(*) as runs,
    (sum(count(*)) over ())::bigint as n_failing,
    round(count(*) / sum(count(*)) over (), 4) as of_failing_rate,
    min(started_at) as first_seen_at,
    max(started_at) as last_seen_at,
    list_sort(list_distinct(list(agent_version))) as versions,
    arg_max(agent_trace_id, started_at) as newest_run,
    pattern_id,
    few((sum(count(*)) over ())::bigint) as remark
from selected_runs($since::timestamp, $until::timestamp, $agent, $version, $environment)
where failing
group by fault_tool, fault_evaluator, fault_class, fault_pattern, pattern_id
order by runs desc, last_seen_at desc, pattern_id
limit 25;

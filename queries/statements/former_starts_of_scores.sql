-- statement: former_starts_of_scores
-- purpose:   between which times the runs began that the arriving scores are on, by what was known of them before;
--            null where all began when they do now, as nearly always
-- reads:     former_starts
-- note:      arriving_scores is registered by the writer.
select
    min(started_at) as earliest,
    max(started_at) as latest
from former_starts
where agent_trace_id in (select agent_trace_id from arriving_scores);

-- report:  exported_scores
-- purpose: all scores, also superseded ones, on what began on a day, for an export; on a tool definition, which has no
--          time, those that were given on the day
-- grain:   score_id
-- reads:   scores
select *
from scores
where target_time >= $day::date and target_time < $day::date + interval 1 day
union all
select *
from scores
where target_time is null and scored_at >= $day::date and scored_at < $day::date + interval 1 day;

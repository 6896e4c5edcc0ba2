-- report:  runs_by_key
-- purpose: some runs by their ids and times, with the beginnings of long texts
-- grain:   agent_trace_id
-- reads:   runs
-- note:    list_contains on the times is decided before DuckDB reads the other columns, which a join is not.
select
    *
    replace (
        left(input, $most_characters) as input,
        left(final_response, $most_characters) as final_response,
        left(error, $most_characters) as error
    )
from runs
where
    started_at between list_min($started_ats::timestamp[]) and list_max($started_ats::timestamp[])
    and list_contains($started_ats::timestamp[], started_at)
    and list_contains($agent_trace_ids::varchar[], agent_trace_id);

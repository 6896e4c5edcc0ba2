-- statement: cached_judge_calls
-- purpose:   the stored answers of judges to some requests: for each the latest answer, or else the pending call, or
--            else the latest unusable answer
-- reads:     judge_calls
-- note:      production believes what the server's own judges answered to itself; experiments believe that first, and
--            else what experiments recorded ($of_experiments). The rows are found first, by narrow columns, and only
--            those are read whole. The request of an answered call is left out, since the caller has it; that of a
--            pending call is included.
with latest_calls as materialized (
    select
        arg_max(rowid, (status = 'ok', status = 'pending', recorded_by = 'server', started_at, rowid)) as call_row,
        bool_or(status = 'pending') and not bool_or(status = 'ok') as is_pending
    from judge_calls
    where
        request_hash in (select unnest(string_split($request_hashes, chr(31))))
        and status in ('ok', 'pending', 'unusable')
        and not from_cache
        and ($of_experiments or (recorded_by = 'server' and purpose <> 'experiment'))
    group by request_hash
)

select * replace (null::json as request)
from judge_calls
where
    rowid in (
        select call_row
        from latest_calls
        where not is_pending
    )
union all
select *
from judge_calls
where
    rowid in (
        select call_row
        from latest_calls
        where is_pending
    );

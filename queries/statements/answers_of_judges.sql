-- statement: answers_of_judges
-- purpose:   what judges have answered to some questions: the latest answer to each, or else the call that is pending,
--            or else the latest answer that is no score
-- reads:     judge_calls
-- note:      first the rows are found, by columns that are narrow; what is wide is only read of those. The request of
--            an answered call is left out, for whoever asks has it; of a pending one it tells what is under way.
with found as materialized (
    select
        arg_max(rowid, (status = 'ok', status = 'pending', started_at, rowid)) as place,
        bool_or(status = 'pending') and not bool_or(status = 'ok') as is_pending
    from judge_calls
    where
        request_hash in (select unnest(string_split($request_hashes, chr(31))))
        and status in ('ok', 'pending', 'unusable')
        and not from_cache
    group by request_hash
)

select * replace (null::json as request)
from judge_calls
where
    rowid in (
        select place
        from found
        where not is_pending
    )
union all
select *
from judge_calls
where
    rowid in (
        select place
        from found
        where is_pending
    );

-- report:  deferred
-- purpose: how many targets each evaluator has deferred, by the kind of reason, for /metrics
-- grain:   evaluator, reason
-- reads:   deferrals
-- note:    $backfill is the priority of targets of backfills, which are not deferred. The texts of reasons contain
--          times, judges and causes; these are all kinds.
select
    evaluator,
    case
        when reason = 'the session is not idle' then 'session_active'
        when reason in ('a run left the session', 'its runs were linked') then 'session_changed'
        when starts_with(reason, 'waits for ') then 'earlier_evaluator'
        when starts_with(reason, 'its `when` cannot be decided') then 'condition_failed'
        when ends_with(reason, '; resumes at 00:00 UTC') then 'budget'
        when reason = 'calls in flight will use up the budget' then 'budget'
        when starts_with(reason, 'the batch could not be sent') then 'judge_unreachable'
        when starts_with(reason, 'batch ') or starts_with(reason, 'sent in a batch') then 'batch'
        when regexp_matches(reason, '^judge ''.*'' cannot be asked: ') then 'judge_misconfigured'
        when regexp_matches(reason, '^judge ''.*'' is busy: ') then 'judge_busy'
        when regexp_matches(reason, '^judge ''.*'' returns unexpected responses: ') then 'judge_unexpected'
        when regexp_matches(reason, '^judge ''.*'' cannot be reached: ') then 'judge_unreachable'
        when regexp_matches(reason, '^judge ''.*'' is asked again after a reload or a restart$') then 'restart'
        else 'other'
    end as reason,
    count(*) as targets
from deferrals
where priority < $backfill
group by all;

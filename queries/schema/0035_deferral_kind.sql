-- migration: deferral_kind
-- purpose:   adds the kind of its reason to each deferral; /metrics counts by it instead of reading the text
-- note:      the kind of older rows is taken from their texts once.
alter table deferrals add column kind varchar;
update deferrals
set
    kind = case
        when reason = 'backfill' then 'backfill'
        when reason = 'the session is not idle' then 'session_active'
        when
            reason in (
                'a run left the session', 'its runs were linked', 'the session changed while it was evaluated'
            ) then 'session_changed'
        when reason = 'runs of other services come first' then 'service_turn'
        when starts_with(reason, 'waits for ') then 'earlier_evaluator'
        when starts_with(reason, 'its `when` cannot be decided') then 'condition_failed'
        when starts_with(reason, 'its judge has seen ') then 'revision_limit'
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
    end;

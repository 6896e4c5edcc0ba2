-- statement: requeue_sessions
-- purpose:   makes sessions that a run has left due again for the evaluators that evaluated them with it
-- reads:     deferrals, scores
insert into deferrals by name
select distinct
    target_id,
    scope,
    evaluator,
    $now as not_before,
    $priority as priority,
    'a run left the session' as reason,
    'session_changed' as kind
from scores
where
    superseded_at is null
    and experiment_id is null
    and scope = 'session'
    and evaluator_kind not in ('human', 'external')
    and target_id in (select unnest(string_split($target_ids, chr(31))))
    and not exists (
        select 1
        from deferrals as deferred
        where deferred.target_id = scores.target_id and deferred.evaluator = scores.evaluator
    );

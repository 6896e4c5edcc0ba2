-- statement: requeue_linked_sessions
-- purpose:   makes sessions into which stored runs were just linked due for the evaluators whose cursors have passed
--            these runs, unless the runs were there before the evaluator
-- reads:     deferrals, agent_traces, evaluator_cursors
insert into deferrals by name
with cursors as (
    select
        evaluator,
        first_seq,
        seq
    from evaluator_cursors
    where scope = 'session'
    qualify row_number() over (partition by evaluator order by enrolled_at desc) = 1
)

select distinct
    'session:' || runs.session_id as target_id,
    'session' as scope,
    cursors.evaluator,
    $now as not_before,
    $priority as priority,
    'its runs were linked' as reason,
    'session_changed' as kind
from agent_traces as runs
inner join cursors on runs.assembled_seq > cursors.first_seq and runs.assembled_seq <= cursors.seq
where
    runs.session_id in (select unnest(string_split($session_ids, chr(31))))
    and runs.parent_agent_trace_id is null
    and runs.experiment_id is null
    and not exists (
        select 1
        from deferrals as deferred
        where deferred.target_id = 'session:' || runs.session_id and deferred.evaluator = cursors.evaluator
    );

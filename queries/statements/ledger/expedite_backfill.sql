-- statement: expedite_backfill
-- purpose:   makes the deferred targets of an evaluator that a backfill covers due now, as part of the backfill
-- reads:     deferrals, agent_traces
update deferrals
set
    not_before = $now,
    priority = $priority,
    reason = 'backfill',
    kind = 'backfill'
where
    evaluator = $evaluator
    and priority <> $priority
    and target_id in (
        select case when $scope = 'session' then 'session:' || session_id else agent_trace_id end
        from agent_traces
        where
            experiment_id is null
            and started_at between $earliest and $latest
            and ($every or agent_trace_id in (select unnest(string_split($agent_trace_ids, chr(31)))))
    )
returning target_id;

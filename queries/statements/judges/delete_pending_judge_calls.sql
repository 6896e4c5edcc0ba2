-- statement: delete_pending_judge_calls
-- purpose:   deletes the pending rows of calls whose answers are about to be stored
-- reads:     judge_calls
-- note:      arriving_judge_calls is registered by the writer. Only the server's own judges are asked in batches.
delete from judge_calls
where
    status = 'pending'
    and judge_call_id in (
        select judge_call_id
        from arriving_judge_calls
        where recorded_by = 'server'
    );

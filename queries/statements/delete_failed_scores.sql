-- statement: delete_failed_scores
-- purpose:   forgets evaluations that went wrong and have now been made again, well or not
-- reads:     scores
-- note:      arriving_scores is registered by the writer. An error is no score, so what comes in its place may have
--            its identity.
delete from scores
where
    status = 'error'
    and exists (
        select 1
        from arriving_scores as arriving
        where arriving.score_id = scores.score_id
    );

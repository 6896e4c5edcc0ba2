-- statement: delete_failed_scores
-- purpose:   deletes error scores of evaluations that have now been repeated, whatever the result
-- reads:     scores
-- note:      arriving_scores is registered by the writer. An error row has no result: its successor may have the same
--            score_id.
delete from scores
where
    status = 'error'
    and exists (
        select 1
        from arriving_scores as arriving
        where arriving.score_id = scores.score_id
    );

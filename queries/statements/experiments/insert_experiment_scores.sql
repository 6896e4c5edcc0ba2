-- statement: insert_experiment_scores
-- purpose:   stores the scores on runs of an experiment that are not stored yet; they supersede none, and need no
--            assembled run
-- reads:     scores
-- note:      arriving_scores is registered by the writer.
insert into scores by name
select * from arriving_scores
where
    score_id not in (
        select score_id
        from scores
        where experiment_id = $experiment_id
    );

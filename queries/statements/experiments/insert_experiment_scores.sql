-- statement: insert_experiment_scores
-- purpose:   stores the scores on new runs of an experiment; they supersede none, and need no assembled run
-- reads:     scores
-- note:      arriving_scores is registered by the writer.
insert into scores by name
select * from arriving_scores;

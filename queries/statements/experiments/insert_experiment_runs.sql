-- statement: insert_experiment_runs
-- purpose:   stores the arriving runs of an experiment, of which none is stored yet
-- reads:     experiment_runs
-- note:      arriving_experiment_runs is registered by the writer.
insert into experiment_runs by name
select * from arriving_experiment_runs;

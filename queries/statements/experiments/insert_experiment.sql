-- statement: insert_experiment
-- purpose:   stores an experiment that begins
-- reads:     experiments
-- note:      arriving_experiment is registered by the writer.
insert into experiments by name
select * from arriving_experiment;

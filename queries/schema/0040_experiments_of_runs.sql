-- migration: experiments_of_runs
-- purpose:   marks the runs, scores and judge calls that belong to an experiment, which are left out of production
alter table agent_traces add column experiment_id varchar;
alter table scores add column experiment_id varchar;
alter table judge_calls add column experiment_id varchar;

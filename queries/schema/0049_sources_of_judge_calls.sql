-- migration: sources_of_judge_calls
-- purpose:   who recorded the answers of judges, and what they were asked for; answers of experiments came from clients
alter table judge_calls add column recorded_by varchar;
alter table judge_calls add column purpose varchar;
update judge_calls
set
    recorded_by = if(experiment_id is null, 'server', 'client'),
    purpose = if(experiment_id is null, 'pass', 'experiment');

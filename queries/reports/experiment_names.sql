-- report:  experiment_names
-- purpose: the names of experiments
-- grain:   name
-- reads:   experiments
select distinct name from experiments
order by name;

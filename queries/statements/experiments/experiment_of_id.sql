-- statement: experiment_of_id
-- purpose:   the experiment with this id; no row if there is none
-- reads:     experiments
select * from experiments
where experiment_id = $experiment_id;

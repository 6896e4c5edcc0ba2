-- statement: end_experiment
-- purpose:   records that an experiment has ended, unless it had before
-- reads:     experiments
update experiments
set ended_at = $now
where experiment_id = $experiment_id and ended_at is null;

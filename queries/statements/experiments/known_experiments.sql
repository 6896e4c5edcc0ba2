-- statement: known_experiments
-- purpose:   which of some experiments are stored, and when they were in progress
-- reads:     experiments
select
    experiment_id,
    started_at,
    ended_at
from experiments
where experiment_id in (select unnest(string_split($experiment_ids, chr(31))));

-- statement: known_experiments
-- purpose:   which of some experiments are stored
-- reads:     experiments
select experiment_id
from experiments
where experiment_id in (select unnest(string_split($experiment_ids, chr(31))));

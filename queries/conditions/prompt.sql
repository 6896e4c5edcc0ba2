-- condition: prompt
-- purpose:   the template of the prompt, by its name, or by name and version as in `booking@3`
-- reads:     runs
select agent_trace_id
from runs
where
    $text in (prompt_name, concat_ws('@', prompt_name, prompt_version));

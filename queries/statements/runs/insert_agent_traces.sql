-- statement: insert_agent_traces
-- purpose:   stores the rows of new revisions
-- reads:     agent_traces, id_number, outcome_of
-- note:      assembled_agent_traces is registered by the writer. The outcome is that of a run without errors, failed
--            calls and scores, as most new ones are; update_outcomes writes the others.
insert into agent_traces by name
select
    * replace (
        id_number(agent_trace_id, '0') as id_start,
        if(
            root_agent_trace_id = agent_trace_id and experiment_id is null,
            outcome_of(null, 0, 0, interrupt, completeness, false),
            null
        ) as outcome,
        if(root_agent_trace_id = agent_trace_id and experiment_id is null, false, null) as failing,
        if(root_agent_trace_id = agent_trace_id and experiment_id is null, 0, null) as score_count,
        if(root_agent_trace_id = agent_trace_id and experiment_id is null, 0, null) as failing_score_count
    )
from assembled_agent_traces;

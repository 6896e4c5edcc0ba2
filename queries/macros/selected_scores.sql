-- macro:   selected_scores
-- purpose: the active scores of evaluators on runs of a period, an agent, a version and so on; null selects all, of
--          experiment_id_ those of production
-- grain:   as latest_scores
-- reads:   scores, agent_traces
-- note:    the time of a score is the start of its target; of a tool definition, which has none, that of the score.
--          ids is a list of trace ids, joined by chr(31).
create or replace macro selected_scores(
    since_, until_, agent_, service_, version_, environment_, ids, experiment_id_
) as table
    select scores.*
    from scores
    left join agent_traces as runs on scores.agent_trace_id = runs.agent_trace_id
    where
        scores.superseded_at is null
        and scores.experiment_id is not distinct from experiment_id_
        and scores.evaluator_kind not in ('human', 'external')
        and (since_ is null or coalesce(scores.target_time, scores.scored_at) >= since_)
        and (until_ is null or coalesce(scores.target_time, scores.scored_at) < until_)
        and (agent_ is null or coalesce(runs.agent_name, scores.agent_name) = agent_)
        and (service_ is null or runs.service_name = service_)
        and (version_ is null or runs.agent_version = version_)
        and (environment_ is null or runs.environment = environment_)
        and (ids is null or scores.trace_id in (select unnest(string_split(ids, chr(31)))));

-- condition: chosen
-- purpose:   the runs of an agent, a version, an environment and a service, with their sub-agents; null selects all
-- reads:     agent_traces, runs
-- note:      for pages. Its parameters are those of reports there, such as $agent, in place of $text.
select agent_trace_id
from agent_traces
where
    root_agent_trace_id in (
        select outermost.agent_trace_id
        from runs as outermost
        where
            ($agent::varchar is null or coalesce(outermost.agent_name, outermost.service_name) = $agent::varchar)
            and ($version::varchar is null or outermost.agent_version = $version::varchar)
            and ($environment::varchar is null or outermost.environment = $environment::varchar)
            and ($service::varchar is null or outermost.service_name = $service::varchar)
    );

-- report:  waiting_of_traces
-- purpose: how many targets of some traces wait for evaluators, each in one form, for `tracegrade import`: new ones,
--          and deferred ones with the first reason
-- grain:   evaluator for which something waits
-- reads:   agent_traces, tool_definitions, offered_tools, evaluator_cursors, deferrals
with asked as (
    select
        unnest($evaluators::varchar[]) as evaluator,
        unnest($evaluator_versions::bigint[]) as evaluator_version,
        unnest($config_hashes::varchar[]) as config_hash
),

targets as (
    select
        agent_trace_id as target_id,
        'trace' as scope,
        assembled_seq as seq
    from agent_traces
    where experiment_id is null and trace_id in (select unnest($trace_ids::varchar[]))
    union all
    select
        'session:' || session_id as target_id,
        'session' as scope,
        max(assembled_seq) as seq
    from agent_traces
    where session_id is not null and experiment_id is null and trace_id in (select unnest($trace_ids::varchar[]))
    group by session_id
    union all
    select distinct
        'tool:' || tools.definition_hash as target_id,
        'tool' as scope,
        tools.seq
    from tool_definitions
    inner join offered_tools as tools using (definition_hash)
    where tool_definitions.trace_id in (select unnest($trace_ids::varchar[]))
)

select
    asked.evaluator,
    count(*) filter (where targets.seq > cursors.seq) as new,
    count(*) filter (where targets.seq <= cursors.seq) as deferred,
    arg_min(later.reason, later.not_before) filter (where targets.seq <= cursors.seq) as reason
from asked
inner join evaluator_cursors as cursors using (evaluator, evaluator_version, config_hash)
inner join targets on targets.scope = case when cursors.scope = 'tool_call' then 'trace' else cursors.scope end
left join deferrals as later on asked.evaluator = later.evaluator and targets.target_id = later.target_id
where targets.seq > cursors.seq or later.target_id is not null
group by asked.evaluator
order by asked.evaluator;

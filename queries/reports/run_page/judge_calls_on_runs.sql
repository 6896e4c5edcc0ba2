-- report:  judge_calls_on_runs
-- purpose: what judges were asked about some runs and what they answered, also where the answer is that to the same
--          question about another run
-- grain:   judge_call_id
-- reads:   judge_calls, agent_traces
-- note:    only what the scores of these runs rest on: for runs of production what was asked in production, for those
--          of an experiment what was asked in it
with runs as (
    select
        agent_trace_id,
        experiment_id
    from agent_traces
    where list_contains($target_ids::varchar[], agent_trace_id)
),

asked as materialized (
    select *
    from judge_calls
    where
        started_at >= $earliest::timestamp
        and list_contains($target_ids::varchar[], target_id)
        and status <> 'pending'
        and (experiment_id is null or experiment_id in (select runs.experiment_id from runs))
),

originals as (
    select
        request_hash,
        any_value(request) as request,
        any_value(response) as response
    from judge_calls
    where
        not from_cache
        and status = 'ok'
        and (
            (recorded_by = 'server' and purpose <> 'experiment')
            or experiment_id in (select runs.experiment_id from runs)
        )
        and request_hash in (
            select request_hash
            from asked
            where from_cache
        )
    group by request_hash
)

select
    asked.judge_call_id,
    asked.evaluator,
    asked.target_id,
    asked.pass_id,
    asked.judge,
    asked.model,
    asked.from_cache,
    asked.status,
    asked.error,
    asked.cost_usd,
    asked.started_at,
    asked.duration_ms,
    coalesce(asked.request, originals.request) as request,
    coalesce(asked.response, originals.response) as response
from asked
left join originals on asked.request_hash = originals.request_hash and asked.from_cache
order by asked.started_at, asked.judge_call_id
limit $limit;

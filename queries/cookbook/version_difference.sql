-- report:  version_difference
-- purpose: What is better or worse than in the version before?
-- grain:   agent, evaluator, kind
-- reads:   selected_runs, run_scores, difference_of_shares, few
-- period:  28d
-- note:    versions are ordered by their first run in the period. all runs: a run passed if it has scores and is not
--          failing. A finding stands where both versions have ten, and the 95 % interval of the difference does not
--          contain 0.
-- version: compare this version with the one before it, instead of the newest
with runs as (
    select
        coalesce(agent_name, service_name) as agent,
        agent_version as version,
        started_at,
        not coalesce(failing, false) as passed,
        score_count > 0 or failing as is_scored
    from selected_runs($since::timestamp, $until::timestamp, $agent, null, $environment)
    where agent_version is not null
),

versions as (
    select
        agent,
        version,
        min(started_at) as first_run_at
    from runs
    group by agent, version
),

compared as (
    select
        agent,
        version,
        first_run_at,
        lag(version) over (partition by agent order by first_run_at, version) as version_before
    from versions
    qualify
        if(
            $version is null,
            row_number() over (partition by agent order by first_run_at desc, version desc) = 1,
            version = $version
        )
),

results as (
    select
        agent,
        version,
        'all runs' as evaluator,
        null as kind,
        passed
    from runs
    where is_scored
    union all
    select
        coalesce(agent_name, service_name) as agent,
        agent_version as version,
        evaluator,
        evaluator_kind as kind,
        passed
    from run_scores($since::timestamp, $until::timestamp, $agent, null, $environment)
    where passed is not null
),

counted as (
    select
        compared.agent,
        compared.version,
        compared.version_before,
        compared.first_run_at,
        results.evaluator,
        results.kind,
        count(*) filter (where results.version = compared.version) as n,
        count(*) filter (where results.version = compared.version and results.passed) as passed,
        count(*) filter (where results.version = compared.version_before) as n_before,
        count(*) filter (where results.version = compared.version_before and results.passed) as passed_before
    from compared
    inner join results
        on compared.agent = results.agent and results.version in (compared.version, compared.version_before)
    where compared.version_before is not null
    group by all
),

differences as (
    select
        *,
        difference_of_shares(passed, n, passed_before, n_before) as change
    from counted
)

select
    agent,
    evaluator,
    kind,
    version_before,
    n_before,
    round(passed_before / nullif(n_before, 0), 4) as before_rate,
    version,
    n,
    round(passed / nullif(n, 0), 4) as pass_rate,
    round((change)['difference'], 4) as pass_rate_change,
    round((change)['low'], 4) as pass_rate_change_low,
    round((change)['high'], 4) as pass_rate_change_high,
    case
        when least(n, n_before) < 10 then few(least(n, n_before))
        when (change)['high'] < 0 then 'worse'
        when (change)['low'] > 0 then 'better'
        else 'no clear change'
    end as finding,
    first_run_at
from differences
order by least(n, n_before) < 10, (change)['high'] nulls last, agent, evaluator, kind;

"""A store with very many names of every kind, which a hostile sender could make."""

from __future__ import annotations

from typing import Final

from .store import Store

__all__ = ["insert_names"]

_RUNS: Final = """
insert into agent_traces by name
select template.* replace (
    format('{:032x}-{:016x}', i + 1000, 1) as agent_trace_id,
    format('{:032x}', i + 1000) as trace_id,
    format('{:032x}-{:016x}', i + 1000, 1) as root_agent_trace_id,
    format('session {:06}', i) as session_id,
    format('user {:06}', i) as user_id,
    format('agent {:06}', i) as agent_name,
    format('version {:06}', i) as agent_version,
    format('service {:06}', i) as service_name,
    format('place {:06}', i) as environment,
    format('model {:06}', i) as model,
    [format('tool {:06}', i)] as tools,
    [format('tool {:06}', i)] as failed_tools,
    'failing' as outcome,
    true as failing,
    1 as error_count,
    format('tool {:06}', i) as fault_tool,
    format('fault {:06}', i) as first_fault,
    'error' as fault_class,
    format('pattern {:06}', i) as fault_pattern,
    format('{:016x}', i) as pattern_id,
    $now::timestamp - interval 10 minute as started_at,
    $now::timestamp - interval 9 minute as ended_at,
    $now::timestamp - interval 10 minute as earliest_at,
    $now::timestamp - interval 9 minute as latest_at,
    (i + 1000)::bigint as assembled_seq
)
from (from agent_traces limit 1) as template, range($count) as numbers (i)
"""
_CALLS: Final = """
insert into tool_calls by name
select template.* replace (
    format('{:032x}-{:016x}', i + 1000, 1) as agent_trace_id,
    format('{:032x}', i + 1000) as trace_id,
    format('tool {:06}', i) as name,
    'error' as status,
    format('fault {:06}', i) as error,
    $now::timestamp - interval 10 minute as started_at
)
from (from tool_calls limit 1) as template, range($count) as numbers (i)
"""
_DEFINITIONS: Final = """
insert into tool_definitions by name
select
    format('{:032x}-{:016x}', i + 1000, 1) as agent_trace_id,
    format('{:032x}', i + 1000) as trace_id,
    0 as position,
    format('{} {:06}', if(i % 2 = 0, 'tool', 'uncalled'), i) as name,
    'Finds.' as description,
    format('{:032x}', i) as definition_hash
from range($count) as numbers (i)
"""
_OFFERS: Final = """
insert into offered_tools by name
select
    format('{:032x}', i) as definition_hash,
    format('{} {:06}', if(i % 2 = 0, 'tool', 'uncalled'), i) as name,
    'Finds.' as description,
    i + 1 as seq,
    $now::timestamp - interval 10 minute as first_offered_at,
    format('{:032x}-{:016x}', i + 1000, 1) as first_agent_trace_id
from range($count) as numbers (i)
"""
_SCORES: Final = """
insert into scores by name
select
    format('score {}', i) as score_id,
    if(kind = 'tool', format('tool:{:032x}', i), format('{:032x}-{:016x}', i + 1000, 1)) as target_id,
    if(kind = 'tool', 'tool', 'trace') as scope,
    if(kind = 'tool', null, format('{:032x}-{:016x}', i + 1000, 1)) as agent_trace_id,
    format('{:032x}', i + 1000) as trace_id,
    $now::timestamp - interval 10 minute as target_time,
    1 as revision,
    format('{} {:06}', kind, i) as evaluator,
    format('{} {:06}', kind, i) as evaluator_type,
    if(kind = 'tool', 'code', kind) as evaluator_kind,
    1 as evaluator_version,
    'form' as config_hash,
    0.0 as value,
    false as passed,
    'bad' as explanation,
    '{}' as details,
    'scored' as status,
    'ada' as author,
    $now::timestamp - interval 5 minute as scored_at
from range($count) as numbers (i), unnest(['code', 'human', 'external', 'tool']) as kinds (kind)
"""
_DATASETS: Final = """
insert into datasets by name
select format('dataset-{:06}', i) as dataset, 1 as version, $now as created_at, 'ada' as author, 0 as items, 0 as added,
    0 as changed, 0 as removed
from range($count) as numbers (i)
union all
select 'dataset-000000', i + 2, $now, 'ada', 0, 0, 0, 0
from range($count) as numbers (i)
"""
_EXPERIMENTS: Final = """
insert into experiments by name
select format('{:032x}', i) as experiment_id, format('experiment {:06}', i) as name,
    'dataset-000000' as dataset, 1 as dataset_version, 2 as items, 1 as repeats, '[]' as evaluators, 'agent.py' as task,
    '{}' as metadata, 'ada' as author, 'plan' as plan_hash, $now as started_at
from range($count) as numbers (i)
"""
_JUDGE_CALLS: Final = """
insert into judge_calls by name
select
    format('call {}', i) as judge_call_id,
    format('hash {}', i) as request_hash,
    format('code {:06}', i) as evaluator,
    'run' as target_id,
    'default' as judge,
    'small' as model,
    '{}' as request,
    '{}' as response,
    false as from_cache,
    'ok' as status,
    $now as started_at
from range($count) as numbers (i)
"""
_HOURS: Final = """
insert into changed_hours
select date_trunc('hour', $now::timestamp - interval 10 minute), max(change) + 1
from changed_hours
"""


def insert_names(store: Store, count: int) -> None:
    """Insert `count` runs of the last hour, each with names of its own, and as many evaluators, datasets, versions of
    the first dataset, and experiments."""
    store.add_runs(1)
    with store.results.transaction() as connection:
        for statement in (_RUNS, _CALLS, _DEFINITIONS, _OFFERS, _SCORES, _DATASETS, _EXPERIMENTS, _JUDGE_CALLS, _HOURS):
            values = {"count": count, "now": store.now()}
            used = {name: value for name, value in values.items() if f"${name}" in statement}
            connection.execute(statement, used)

"""A store with many runs, for measuring how long reading takes.

It is made by SQL alone, from hashes of the number of each run, so that it is always the same. A share of the runs has
a sub-agent, and one of four agents gets worse with its newest version.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from tracegrade.collector.store.engines.database import Database
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.results.hours import Hours
from tracegrade.collector.store.results.writer import Results

__all__ = ["END", "make_large_store"]

END: Final = datetime(2026, 11, 27, 20)  # noqa: DTZ001 - as the store keeps it
"""When the last runs began."""

_MEMORY: Final = "8GB"

_NUMBERS = """
create or replace macro share_of(number, salt) as (hash(number, salt) % 10000) / 10000.0;
create or replace macro span_of(number, salt) as format('{:016x}', hash(number, salt));
create or replace temp table base as
select
    number,
    span_of(number, 'high') || span_of(number, 'low') as trace_id,
    trace_id || '-' || span_of(number, 'agent') as id,
    $end::timestamp - to_microseconds((($rows - number) * $days * 86400e6 / $rows)::bigint) as started_at,
    ['checkout', 'helpdesk', 'travel', 'research'][1 + (hash(number, 'agent') % 4)::int] as agent,
    case
        when agent = 'travel' and number > $rows * 0.7 then '1.4.0'
        when number > $rows * 0.4 then '1.3.0'
        else '1.2.0'
    end as version,
    case when share_of(number, 'environment') < 0.8 then 'production' else 'staging' end as environment,
    ['gpt-4.1-mini', 'gpt-4.1', 'claude-sonnet-4-5'][1 + (hash(number, 'model') % 3)::int] as model,
    1 + (hash(number, 'calls') % 5)::int as calls,
    share_of(number, 'fails') < case version when '1.4.0' then 0.25 else 0.03 end as fails,
    200 + share_of(number, 'duration') * 3000
    + case when share_of(number, 'slow') < 0.05 then 9000 else 0 end as duration_ms,
    hash(number, 'order') % 1000000 as order_number
from range($rows) as numbers (number)
"""

_RUNS = """
insert into agent_traces by name
select
    id as agent_trace_id,
    ('0x' || left(id, 8))::uinteger as id_start,
    trace_id,
    right(id, 16) as agent_span_id,
    id as root_agent_trace_id,
    'session-' || (number // 3) as session_id,
    'user-' || (hash(number, 'user') % 5000) as user_id,
    agent as agent_name,
    version as agent_version,
    agent || '-service' as service_name,
    environment,
    'openai' as provider_name,
    model,
    'Please find me a ' || ['flight', 'hotel', 'refund', 'report'][1 + (hash(number, 'word') % 4)::int]
    || ' for order ' || order_number || ' and tell me what it costs ' || md5(number::varchar) as input,
    'I found it: ' || md5(number || 'x') || md5(number || 'y') || ' costs 120 dollars.' as final_response,
    started_at,
    started_at + to_milliseconds(duration_ms::bigint) as ended_at,
    started_at as earliest_at,
    started_at + to_milliseconds(100 * calls) as latest_at,
    duration_ms,
    case
        when fails and share_of(number, 'error') < 0.2
            then 'HotelUnavailableError: Hotel inventory service unavailable (503) for order ' || order_number
    end as error,
    calls as tool_call_count,
    2 as llm_call_count,
    fails::int as error_count,
    800 + (hash(number, 'input') % 4000)::bigint as input_tokens,
    50 + (hash(number, 'output') % 800)::bigint as output_tokens,
    0.0005 + share_of(number, 'cost') * 0.01 as cost_usd,
    'genai' as dialect,
    case when share_of(number, 'partial') < 0.01 then 'partial' else 'complete' end as completeness,
    '[]' as gaps,
    1 as revision,
    '1:' || md5(number::varchar) as fingerprint,
    started_at + interval 4 second as assembled_at,
    number + 1 as assembled_seq,
    case
        when fails and share_of(number, 'error') >= 0.1
            then to_json([{ 'position': calls - 1, 'name': 'book_hotel', 'error': 'HotelUnavailableError: no room' }])
    end as failed_calls
from base
order by number
"""

_SUB_AGENTS = """
insert into agent_traces by name
select
    trace_id || '-' || span_of(number, 'sub-agent') as agent_trace_id,
    ('0x' || left(trace_id, 8))::uinteger as id_start,
    trace_id,
    span_of(number, 'sub-agent') as agent_span_id,
    id as parent_agent_trace_id,
    id as root_agent_trace_id,
    'sub_' || agent as agent_name,
    version as agent_version,
    agent || '-service' as service_name,
    environment,
    model,
    'a part of the task' as input,
    'done' as final_response,
    started_at + interval 50 millisecond as started_at,
    started_at + interval 150 millisecond as ended_at,
    100 as duration_ms,
    0 as tool_call_count,
    1 as llm_call_count,
    0 as error_count,
    'genai' as dialect,
    'complete' as completeness,
    '[]' as gaps,
    1 as revision,
    '1:x' as fingerprint,
    started_at + interval 4 second as assembled_at,
    number + 1 as assembled_seq
from base
where share_of(number, 'sub-agent') < 0.1
order by number
"""

_TOOL_CALLS = """
insert into tool_calls by name
select
    id as agent_trace_id,
    trace_id,
    position,
    'call_' || left(md5(number || '-' || position), 20) as tool_call_id,
    case
        when fails and position = calls - 1 and share_of(number, 'error') >= 0.1 then 'book_hotel'
        else [
            'search_flights', 'book_hotel', 'get_weather', 'cancel_flight', 'lookup_order', 'refund', 'send_mail'
        ][1 + (hash(number, position, 'tool') % 7)::int]
    end as name,
    to_json({ 'city': ['Paris', 'Rome', 'Oslo'][1 + (hash(number, 'city') % 3)::int], 'nights': 3 }) as args,
    '{"id":"' || md5(number || position) || '"}' as result,
    case
        when fails and position = calls - 1 and share_of(number, 'error') >= 0.1
            then 'HotelUnavailableError: no room'
    end as error,
    case when error is null then 'ok' else 'error' end as status,
    started_at + to_milliseconds(100 * (position + 1)) as started_at,
    20 + share_of(number * 10 + position, 'call') * 300 as duration_ms,
    'both' as source,
    agent as agent_name,
    false as is_foreign
from (
    select
        *,
        unnest(range(calls)) as position
    from base
) as numbered
order by number, position
"""

_DEFINITIONS = """
insert into tool_definitions by name
select
    id as agent_trace_id,
    ('0x' || left(id, 8))::uinteger as id_start,
    trace_id,
    0 as position,
    'search_flights' as name,
    md5(agent || version) as definition_hash
from base
order by number
"""

_OFFERED_TOOLS = """
insert into offered_tools by name
select
    tools.definition_hash,
    any_value(tools.name) as name,
    row_number() over (order by tools.definition_hash) as seq,
    min(base.started_at) as first_offered_at,
    arg_min(base.id, base.started_at) as first_agent_trace_id
from tool_definitions as tools
inner join base on tools.agent_trace_id = base.id
group by tools.definition_hash
"""

_SCORES = """
insert into scores by name
select
    md5(id || evaluator) as score_id,
    id as target_id,
    'trace' as scope,
    id as agent_trace_id,
    trace_id,
    right(id, 16) as span_id,
    'session-' || (number // 3) as session_id,
    agent as agent_name,
    started_at as target_time,
    1 as revision,
    evaluator,
    evaluator as evaluator_type,
    case evaluator when 'polite' then 'llm' else 'code' end as evaluator_kind,
    2 as evaluator_version,
    'a1b2c3d4' as config_hash,
    case
        when evaluator = 'polite' then 0.5 + share_of(number, 'polite') / 2
        when fails and evaluator in ('tool_error', 'run_completion') then share_of(number, evaluator) * 0.7
        when share_of(number, evaluator) < 0.01 then 0.5
        else 1.0
    end as value,
    value >= 0.6 as passed,
    0.6 as threshold,
    case when passed then 'no call failed' else '1 of ' || calls || ' calls failed: order ' || order_number end
        as explanation,
    '{"calls":[],"judged":1,"skipped":0}' as details,
    'scored' as status,
    'tracegrade' as author,
    started_at + interval 6 second as scored_at,
    case evaluator when 'polite' then 0.0002 end as cost_usd
from (
    select
        *,
        unnest(['run_completion', 'tool_call_validity', 'tool_efficiency', 'tool_error', 'polite']) as evaluator
    from base
) as evaluated
order by number
"""

_TABLES: Final[Mapping[str, str]] = {
    "runs": _RUNS,
    "sub-agents": _SUB_AGENTS,
    "tool calls": _TOOL_CALLS,
    "definitions": _DEFINITIONS,
    "offered tools": _OFFERED_TOOLS,
    "scores": _SCORES,
}


def make_large_store(path: Path, rows: int, *, days: int = 28, stores_hours: bool = True) -> Database:
    """Make a store with `rows` outermost runs over so many `days` at `path`, and return it open.

    It has their outcomes and counts of hours. The last hour stays marked, as it is in a running server; without
    `stores_hours`, all do.
    """
    database = DuckDbFile(path, memory_limit=_MEMORY)
    with database.cursor() as connection:
        connection.execute(_NUMBERS, {"rows": rows, "days": days, "end": END})
        for text in _TABLES.values():
            connection.execute(text)
        connection.execute("drop table base; drop macro share_of; drop macro span_of; delete from outcomes_definition")
    results = Results(database)  # computes the outcomes
    if stores_hours:
        Hours(database, results, now=lambda: END - timedelta(minutes=54)).renew_all()
    results.close()
    database.checkpoint(wait_s=600)
    return database

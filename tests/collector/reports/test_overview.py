"""The queries of an overview answer as plain queries over runs, scores and calls do, with and without filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import duckdb
import pytest
from tests.bench.large_store import END, make_large_store
from tests.bench.overview import QUERIES

from tracegrade.collector.store.engines.database import Database
from tracegrade.queries.catalog import report

SINCE = END - timedelta(days=5)

FILTERS: Mapping[str, Mapping[str, str]] = {
    "all": {},
    "agent": {"agent": "travel"},
    "version and environment": {"agent_version": "1.4.0", "environment": "production"},
    "service": {"service": "helpdesk-service"},
    "unknown": {"agent": "nobody"},
}

RUNS = """
create or replace temp macro chosen(since_, until_, agent_, version_, environment_, service_) as table
    select * from runs
    where
        started_at >= since_ and started_at < until_ and (agent_ is null or agent_name = agent_)
        and (version_ is null or agent_version = version_) and (environment_ is null or environment = environment_)
        and (service_ is null or service_name = service_)
"""
CHOSEN = "chosen($since::timestamp, $until::timestamp, $agent, $agent_version, $environment, $service)"
EARLIER = CHOSEN.replace(
    "$since::timestamp, $until::timestamp", "$since::timestamp - interval 5 day, $since::timestamp"
)
EVER = CHOSEN.replace("$since::timestamp", "timestamp '2000-01-01'")
OF_TREE = (
    "join agent_traces as inner_runs using (agent_trace_id) "
    "join {} as runs on inner_runs.root_agent_trace_id = runs.agent_trace_id"
)
SCORED = f"latest_scores as scores {OF_TREE}"
CALLED = f"tool_calls as calls {OF_TREE}".format(CHOSEN)
NANO = "sum(round({} * 1e9)::hugeint) / 1e9"

PLAIN: Mapping[str, str] = {
    "runs_by_hour": f"""
        select date_trunc('hour', started_at) as hour, count(*) filter (outcome = 'error'),
            count(*) filter (outcome = 'failing'), count(*) filter (outcome = 'passed'),
            count(*) filter (outcome = 'not_scored')
        from {CHOSEN} group by hour order by hour""",
    "scored_share": f"""
        select nullif(count(*), 0), case when count(*) > 0 then sum((score_count > 0)::int) end,
            avg((score_count > 0)::int), 0 from {CHOSEN}""",
    "scores_by_hour": f"""
        select evaluator, evaluator_kind, date_trunc('hour', runs.started_at) as hour, count(*), sum(passed::int),
            sum((not passed)::int), {NANO.format("value")} / count(value)
        from {SCORED.format(CHOSEN)} group by all order by all""",
    "run_durations": f"""
        select count(*), count(*) filter (outcome = 'error'), count(*) filter (outcome = 'error') / nullif(count(*), 0),
            count(duration_ms), quantile_cont(duration_ms, 0.5), quantile_cont(duration_ms, 0.95) from {CHOSEN}""",
    "costs": f"""
        with told as (select sum(scores.cost_usd), count(scores.cost_usd) as n, {NANO.format("scores.cost_usd")} as usd
            from {SCORED.format(CHOSEN)})
        select nullif(count(*), 0), sum(input_tokens), sum(output_tokens), nullif(count(cost_usd), 0),
            {NANO.format("cost_usd")}, (sum(round(cost_usd * 1e9)::hugeint) filter (failing)) / 1e9,
            (select nullif(n, 0) from told), (select usd from told)
        from {CHOSEN}""",
    "failing_tools": f"""
        with counted as (
            select name as tool, count(*) as n, count(*) filter (calls.status = 'error') as errors,
                avg(round(calls.duration_ms)) as mean_ms from {CALLED} group by name
        ), first as (select fault_tool as tool, count(*) as first_faults from {CHOSEN} group by all)
        select tool, n, errors, errors / n, 0, coalesce(first_faults, 0), mean_ms
        from counted left join first using (tool) where errors > 0 or first_faults > 0
        order by 6 desc, errors desc, tool limit 10""",
    "worst_runs": f"""
        select agent_trace_id, started_at, agent_name, agent_version, left(input, 200), outcome, worst_evaluator,
            worst_value, left(worst_explanation, 200), fault_tool, left(first_fault, 200)
        from {CHOSEN} where failing order by worst_value nulls last, started_at desc, agent_trace_id limit 10""",
    "failure_patterns": f"""
        select pattern_id, any_value(fault_tool), any_value(fault_evaluator), any_value(fault_class),
            any_value(fault_pattern), count(*) as n, min(started_at), max(started_at),
            arg_max(agent_trace_id, started_at)
        from {CHOSEN} where failing group by pattern_id order by n desc, max(started_at) desc, pattern_id limit 10""",
    "failing_by_version": f"""
        select agent_name, agent_version, count(*), sum(failing::int), avg(failing::int),
            wilson(sum(failing::int), count(*)), min(date_trunc('hour', started_at)),
            max(date_trunc('hour', started_at))
        from {CHOSEN} group by all order by all""",
    "filter_values": f"""
        select agent_name, agent_version, environment, service_name, count(*)
        from {CHOSEN} group by all order by all""",
    "evaluator_rates": f"""
        with counted as (
            select true as is_now, evaluator, evaluator_kind, passed, value, scores.cost_usd
            from {SCORED.format(CHOSEN)}
            union all
            select false, evaluator, evaluator_kind, passed, value, scores.cost_usd
            from {SCORED.format(EARLIER)}
        )
        select evaluator, evaluator_kind, nullif(count(*) filter (is_now), 0), sum(passed::int) filter (is_now),
            sum((not passed)::int) filter (is_now), avg(passed::int) filter (is_now),
            (sum(round(value * 1e9)::hugeint) filter (is_now)) / 1e9 / nullif(count(value) filter (is_now), 0),
            case when count(*) filter (is_now) > 0 then 0 end, case when count(*) filter (is_now) > 0 then 0 end,
            (sum(round(cost_usd * 1e9)::hugeint) filter (is_now)) / 1e9,
            nullif(count(*) filter (not is_now), 0), sum(passed::int) filter (not is_now),
            sum((not passed)::int) filter (not is_now), avg(passed::int) filter (not is_now),
            (sum(round(value * 1e9)::hugeint) filter (not is_now)) / 1e9
                / nullif(count(value) filter (not is_now), 0)
        from counted group by all order by all""",
    "first_seen": f"""
        select min(date_trunc('hour', started_at)) as hour, 'model', agent_name, model as name, null
        from {EVER} group by agent_name, model having hour >= $since
        union all
        select min(date_trunc('hour', started_at)) as hour, 'version', agent_name, agent_version, null
        from {EVER} group by agent_name, agent_version having hour >= $since
        union all
        select min(date_trunc('hour', started_at)) as hour, 'tool definition', null, name, definition_hash
        from tool_definitions join runs using (agent_trace_id) group by name, definition_hash having hour >= $since
        order by all""",
}


@pytest.fixture(scope="module", params=[True, False], ids=["hours stored", "hours marked"])
def connection(tmp_path_factory: pytest.TempPathFactory, request: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    path = tmp_path_factory.mktemp("overview") / "store.duckdb"
    database: Database = make_large_store(path, 300, days=12, stores_hours=request.param)
    with database.cursor() as connection:
        connection.execute(RUNS)
        yield connection
    database.close()


def test_every_query_is_compared() -> None:
    assert sorted(PLAIN) == sorted(QUERIES)


@pytest.mark.parametrize("filters", FILTERS.values(), ids=FILTERS)
@pytest.mark.parametrize("name", QUERIES)
def test_query_of_the_overview_equals_a_plain_one(
    connection: duckdb.DuckDBPyConnection, name: str, filters: Mapping[str, str]
) -> None:
    nothing = dict.fromkeys(("agent", "agent_version", "environment", "service"))
    about: dict[str, Any] = {"since": SINCE, "until": END, **nothing, **filters}
    used = duckdb.extract_statements(PLAIN[name])[0].named_parameters
    expected = connection.execute(PLAIN[name], {key: about[key] for key in used}).fetchall()
    used = duckdb.extract_statements(report(name))[0].named_parameters
    found = connection.execute(report(name), {key: about[key] for key in used}).fetchall()
    assert _rounded(found) == _rounded(expected)
    assert found or name not in {"runs_by_hour", "worst_runs", "failing_by_version"} or "nobody" in filters.values()


def _rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(round(value, 9) if isinstance(value, float) else value for value in row) for row in rows]

"""The queries of the overview answer as plain queries over runs, scores and calls do, with and without filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import duckdb
import pytest
from tests.bench.large_store import END, make_large_store

from tracegrade.collector.store.engines.database import Database
from tracegrade.queries.catalog import report

SINCE = END - timedelta(days=5)

FILTERS: Mapping[str, Mapping[str, str]] = {
    "all": {},
    "agent": {"agent": "travel"},
    "version and environment": {"version": "1.4.0", "environment": "production"},
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
CHOSEN = "chosen($since::timestamp, $until::timestamp, $agent, $version, $environment, $service)"
EARLIER = CHOSEN.replace(
    "$since::timestamp, $until::timestamp", "$since::timestamp - interval 5 day, $since::timestamp"
)
OF_TREE = (
    "join agent_traces as inner_runs using (agent_trace_id) "
    "join {} as runs on inner_runs.root_agent_trace_id = runs.agent_trace_id"
)
TOLD = "outcome in ('error', 'failing', 'passed')"
SCORED = f"latest_scores as scores {OF_TREE}"
CALLED = f"tool_calls as calls {OF_TREE}".format(CHOSEN)

PLAIN: Mapping[str, str] = {
    "runs_by_step": f"""
        select
            $since::timestamp + to_hours((datediff('hour', $since::timestamp, started_at) // 6 * 6)::int) as starts_at,
            count(*), count(*) filter (outcome = 'error'), count(*) filter (failing),
            count(*) filter (outcome = 'passed'), count(*) filter (outcome = 'waiting'),
            count(*) filter (outcome = 'unfinished'), count(*) filter (score_count > 0), count(cost_usd),
            (sum(round(cost_usd * 1e9)::hugeint)) / 1e9, (sum(round(cost_usd * 1e9)::hugeint) filter (failing)) / 1e9,
            sum(input_tokens), sum(output_tokens)
        from {CHOSEN} group by starts_at order by starts_at""",
    "durations_of_runs": f"""
        select count(duration_ms), quantile_cont(duration_ms, 0.5), quantile_cont(duration_ms, 0.95) from {CHOSEN}""",
    "compared_measures": f"""
        with told as (
            select true as is_now, agent_name, failing from {CHOSEN} where {TOLD}
            union all select false, agent_name, failing from {EARLIER} where {TOLD})
        select agent_name, count(*) filter (is_now), count(*) filter (not is_now),
            count(*) filter (is_now and failing)
        from told group by all
        having count(*) filter (is_now) >= 10 and count(*) filter (not is_now) >= 10 order by all""",
    "evaluators_by_step": f"""
        select evaluator, evaluator_kind, count(*), count(*) filter (passed), count(passed), avg(value),
            count(distinct runs.agent_trace_id) filter (not passed)
        from {SCORED.format(CHOSEN)} group by all order by all""",
    "tools_at_fault": f"""
        with counted as (
            select name as tool, count(distinct runs.agent_trace_id) filter (calls.status = 'error') as failed_runs,
                count(*) as calls, count(*) filter (calls.status = 'error') as errors
            from {CALLED} group by name
        ), first as (select fault_tool as tool, count(*) as first_faults from {CHOSEN} group by all)
        select tool, failed_runs, calls, errors, coalesce(first_faults, 0)
        from counted left join first using (tool) where errors > 0
        order by failed_runs desc, 5 desc, tool limit 10""",
    "failing_patterns": f"""
        select pattern_id, count(*) as n
        from {CHOSEN} where failing group by pattern_id order by n desc, max(started_at) desc, pattern_id
        limit 10""",
}
COLUMNS: Mapping[str, str] = {
    "compared_measures": """
        select agent, n, n_before, total from answer where measure = 'failing runs' order by all""",
    "evaluators_by_step": "select evaluator, evaluator_kind, scored, passed, n, mean, failed_runs from answer",
    "failing_patterns": "select pattern_id, runs from answer",
}
"""What is compared of an answer that has more."""


@pytest.fixture(scope="module", params=[True, False], ids=["hours stored", "hours marked"])
def connection(tmp_path_factory: pytest.TempPathFactory, request: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    path = tmp_path_factory.mktemp("overview") / "store.duckdb"
    database: Database = make_large_store(path, 300, days=12, stores_hours=request.param)
    with database.cursor() as connection:
        connection.execute(RUNS)
        yield connection
    database.close()


@pytest.mark.parametrize("filters", FILTERS.values(), ids=FILTERS)
@pytest.mark.parametrize("name", PLAIN)
def test_query_of_the_overview_equals_a_plain_one(
    connection: duckdb.DuckDBPyConnection, name: str, filters: Mapping[str, str]
) -> None:
    expected = ask(connection, PLAIN[name], filters)
    answer = report(name).rstrip().rstrip(";")
    found = ask(connection, f"with answer as ({answer}) {COLUMNS.get(name, 'from answer')}", filters)
    assert rounded(found) == rounded(expected)
    assert found or filters


def test_new_version_is_a_change_from_its_first_run_on(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        "create or replace temp table first as select min(started_at) from runs where agent_version = '1.4.0'"
    )
    ((first,),) = connection.execute("from first").fetchall()
    since = first.replace(minute=0, second=0, microsecond=0)
    rows = ask(connection, report("changes_of_agents"), {"since": since})
    assert ("travel", "version", "1.4.0", first) in rows
    later = ask(connection, report("changes_of_agents"), {"since": since + timedelta(hours=1)})
    assert [row for row in later if row[1] == "version"] == []


def test_new_prompt_is_a_change_from_its_first_run_on(connection: duckdb.DuckDBPyConnection) -> None:
    since = END - timedelta(days=2)
    connection.execute("begin")
    connection.execute(
        "update agent_traces set prompt_name = 'booking', prompt_version = if(started_at < $since, '1', '2') "
        "where agent_name = 'travel' and parent_agent_trace_id is null",
        {"since": since},
    )
    rows = ask(connection, report("changes_of_agents"), {"since": since})
    ((first,),) = connection.execute("select min(started_at) from runs where prompt_version = '2'").fetchall()
    connection.execute("rollback")
    assert [row for row in rows if row[1] == "prompt"] == [("travel", "prompt", "booking@2", first)]


def test_new_definition_of_a_tool_is_a_change_of_the_agent_that_offered_it_first(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    ((agent, tool, first),) = connection.execute("""
        select runs.agent_name, tools.name, min(runs.started_at)
        from tool_definitions as tools inner join runs using (agent_trace_id)
        where runs.agent_version = '1.4.0' group by all
    """).fetchall()
    since = first.replace(minute=0, second=0, microsecond=0)
    rows = ask(connection, report("changes_of_agents"), {"since": since})
    assert (agent, "definition of tool", tool, first) in rows
    of_another = ask(connection, report("changes_of_agents"), {"since": since, "agent": "helpdesk"})
    assert [row for row in of_another if row[1] == "definition of tool"] == []


def ask(connection: duckdb.DuckDBPyConnection, sql: str, filters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    names = dict.fromkeys(("agent", "version", "environment", "service"))
    of_evaluators: dict[str, Any] = {"evaluator": None, "search": None, "configured": []}
    about: dict[str, Any] = {"since": SINCE, "until": END, "step_hours": 6, "limit": 10}
    about |= {**of_evaluators, **names, **filters}
    used = duckdb.extract_statements(sql)[0].named_parameters
    return connection.execute(sql, {key: about[key] for key in used}).fetchall()


def rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(round(value, 9) if isinstance(value, float) else value for value in row) for row in rows]

"""What the reports say: of an empty store, and of one in which a fault was planted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import duckdb
import pytest

from tracegrade.queries.catalog import migrate
from tracegrade.queries.catalog import statement as read_statement
from tracegrade.queries.cookbook.library import read_library
from tracegrade.queries.cookbook.parameters import fill
from tracegrade.queries.cookbook.report import Report

LIBRARY = read_library()
NOW = datetime(2026, 1, 15)  # noqa: DTZ001 - as the store keeps it

RUNS = """
insert into agent_traces by name
select
    'run-' || number as agent_trace_id, 'trace' as trace_id, 'span' as agent_span_id,
    agent_trace_id as root_agent_trace_id, 'shop' as agent_name, 'shop' as service_name, 'small' as model,
    timestamp '2026-01-01' + number * interval 1 hour as started_at, started_at as earliest_at,
    started_at as latest_at,
    if(started_at < '2026-01-09', '1', '2') as agent_version, 'complete' as completeness, '[]' as gaps,
    1000 + number % 10 as duration_ms, 0.01 as cost_usd, 100 as input_tokens, 10 as output_tokens,
    1 as tool_call_count, 1 as llm_call_count, 0 as error_count, 1 as revision, 'f' as fingerprint,
    started_at as assembled_at, number as assembled_seq, 'genai' as dialect,
    if(started_at >= '2026-01-12' and number % 2 = 0, ['search', 'pay'], ['search']) as tools,
    case when 'pay' in tools then 'failing' else 'passed' end as outcome,
    outcome = 'failing' as failing, 1 as score_count, failing::int as failing_score_count,
    if(failing, 'call', null) as fault, if(failing, 'pay', null) as fault_tool,
    if(failing, 'HTTP 503: no answer in ' || number || ' s', null) as first_fault,
    error_class(first_fault) as fault_class, error_pattern(first_fault) as fault_pattern,
    if(failing, pattern_id(fault_tool, null, fault_class, fault_pattern), null) as pattern_id,
    'session-' || number // 2 as session_id,
    if(number % 20 = 1, 'Where is my parcel now?', 'Question ' || number) as input
from (select range as number from range(336))
"""

CALLS = """
insert into tool_calls by name
select
    agent_trace_id, 'trace' as trace_id, list_position(tools, tool) - 1 as position, tool as name,
    json_object('city', 'Paris', 'number', assembled_seq) as args, started_at,
    if(tool = 'pay', 900, 100) as duration_ms, if(tool = 'pay', 'error', 'ok') as status, 'span' as source,
    false as is_foreign
from (select *, unnest(tools) as tool from agent_traces)
"""

SCORES = """
insert into scores by name
select
    agent_trace_id || 'e' as score_id, agent_trace_id as target_id, 'trace' as scope, agent_trace_id,
    started_at as target_time, 1 as revision, 'polite' as evaluator, 'rubric' as evaluator_type,
    'llm' as evaluator_kind, 1 as evaluator_version, 'h' as config_hash, (not failing)::int::double as value,
    not failing as passed, 0.5 as threshold, '{}' as details, 'scored' as status, 'tracegrade' as author,
    started_at as scored_at
from agent_traces
"""

JUDGE_CALLS = """
insert into judge_calls by name
select
    score_id as judge_call_id, 'h' as request_hash, evaluator, target_id, 'default' as judge, 'small' as model,
    false as from_cache, 'ok' as status, 0.001 as cost_usd, scored_at + interval 1 minute as started_at
from scores
"""


@pytest.fixture(scope="module")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        migrate(connection)
        yield connection


@pytest.fixture(scope="module")
def faulty() -> Iterator[duckdb.DuckDBPyConnection]:
    """A run an hour for two weeks: version 2 from the 9th on; from the 12th on, every second of its runs fails."""
    with duckdb.connect() as connection:
        migrate(connection)
        for statement in (RUNS, CALLS, SCORES, JUDGE_CALLS):
            connection.execute(statement)
        connection.execute(read_statement("insert_all_changed_hours"))
        yield connection


def rows(connection: duckdb.DuckDBPyConnection, name: str, **given: str) -> list[dict[str, Any]]:
    """The answer to a report."""
    report = LIBRARY.find(name)
    answer = connection.execute(report.sql, dict(fill(report, given, now=NOW).values))
    names = [column for column, *_ in answer.description or ()]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


@pytest.mark.parametrize("report", LIBRARY.reports.values(), ids=lambda report: report.name)
def test_report_on_an_empty_store_has_no_rows(empty: duckdb.DuckDBPyConnection, report: Report) -> None:
    assert rows(empty, report.name) == []


@pytest.mark.parametrize("report", LIBRARY.reports.values(), ids=lambda report: report.name)
def test_report_takes_all_its_parameters(faulty: duckdb.DuckDBPyConnection, report: Report) -> None:
    given = {name: "x" for name in report.parameters if name not in ("since", "until")}
    assert rows(faulty, report.name, **given) == []


@pytest.mark.parametrize("report", LIBRARY.reports.values(), ids=lambda report: report.name)
def test_rate_stands_behind_its_number(empty: duckdb.DuckDBPyConnection, report: Report) -> None:
    values = fill(report, {}, now=NOW).values
    columns = [name for name, *_ in empty.execute(report.sql, dict(values)).description or ()]
    rates = [place for place, name in enumerate(columns) if name.endswith("_rate")]
    assert [columns[at] for at in rates if not any(name == "n" or name[:2] == "n_" for name in columns[:at])] == []
    assert not rates or {"remark", "finding", "in_others_rate", "agreement_rate"} & {*columns}


def test_worse_finds_what_began_to_fail_and_when(faulty: duckdb.DuckDBPyConnection) -> None:
    worse = {row["measure"]: row for row in rows(faulty, "worse")}
    assert [*worse] == ["failing polite", "failing runs"]
    runs = worse["failing runs"]
    assert (runs["n_before"], runs["before"], runs["n"], runs["unit"]) == (168, 0.0, 168, "rate")
    assert runs["now"] == pytest.approx(36 / 168, abs=1e-6)
    assert runs["change_low"] > 0.1
    assert runs["since_at"] == datetime(2026, 1, 12)  # noqa: DTZ001 - as the store keeps it


def test_nothing_is_worse_where_there_were_few_before(faulty: duckdb.DuckDBPyConnection) -> None:
    assert rows(faulty, "worse", since="2026-01-01", until="2026-01-15") == []


def test_means_that_rose_are_worse_behind_the_shares(faulty: duckdb.DuckDBPyConnection) -> None:
    faulty.execute("begin")
    faulty.execute("update agent_traces set duration_ms = duration_ms * 3 where started_at >= '2026-01-14 12:00'")
    measures = [(row["measure"], row["unit"], row["since_at"].hour) for row in rows(faulty, "worse", since="12h")]
    faulty.execute("rollback")
    assert measures == [("duration of a run", "ms", 12)]


def test_version_that_is_worse_is_found_with_its_interval(faulty: duckdb.DuckDBPyConnection) -> None:
    found = {row["evaluator"]: row for row in rows(faulty, "version_difference")}
    runs = found["all runs"]
    assert (runs["version_before"], runs["before_rate"], runs["version"]) == ("1", 1.0, "2")
    assert (runs["n_before"], runs["n"], runs["finding"]) == (192, 144, "worse")
    assert runs["pass_rate_change_low"] < -0.25 < runs["pass_rate_change_high"] < 0
    assert found["polite"]["finding"] == "worse"
    assert rows(faulty, "version_difference", version="1") == []


def test_what_failing_runs_share_is_found_first(faulty: duckdb.DuckDBPyConnection) -> None:
    first, *_ = rows(faulty, "different_in_failing", since="28d")
    assert (first["property"], first["value"], first["in_failing_rate"], first["in_others_rate"]) in [
        ("tool", "pay", 1.0, 0.0),
        ("argument pay.city", "Paris", 1.0, 0.0),
    ]
    properties = {row["property"] for row in rows(faulty, "different_in_failing", since="28d")}
    assert "version" in properties
    assert "model" not in properties


def test_faults_of_one_pattern_are_one_row(faulty: duckdb.DuckDBPyConnection) -> None:
    (pattern,) = rows(faulty, "failure_patterns")
    assert (pattern["tool"], pattern["class"], pattern["runs"], pattern["of_failing_rate"]) == (
        "pay",
        "HTTP 503",
        36,
        1,
    )
    assert pattern["first_seen_at"] == datetime(2026, 1, 12)  # noqa: DTZ001 - as the store keeps it
    assert pattern["versions"] == ["2"]


def test_scorecard_says_how_often_a_tool_fails_and_is_the_first_fault(faulty: duckdb.DuckDBPyConnection) -> None:
    first, second = rows(faulty, "tool_scorecards")
    assert (first["tool"], first["n"], first["error_rate"], first["first_fault_rate"]) == ("pay", 36, 1.0, 1.0)
    assert (second["tool"], second["n"], second["error_rate"], second["first_fault_rate"]) == ("search", 168, 0.0, 0.0)


def test_tool_by_hour_shows_when_it_began_to_fail(faulty: duckdb.DuckDBPyConnection) -> None:
    hours = rows(faulty, "tools_by_hour", tool="pay", since="2026-01-12", until="2026-01-12T04:00")
    assert [(row["starts_at"].hour, row["n"], row["error_rate"], row["remark"]) for row in hours] == [
        (0, 1, 1.0, "only 1"),
        (2, 1, 1.0, "only 1"),
    ]


def test_call_is_found_by_an_argument(faulty: duckdb.DuckDBPyConnection) -> None:
    (call,) = rows(faulty, "calls_with", tool="search", argument="number", value="300")
    assert call["agent_trace_id"] == "run-300"
    assert rows(faulty, "calls_with", argument="hotel") == []


def test_costs_of_failing_runs_and_of_judges_stand_beside_those_of_the_agent(faulty: duckdb.DuckDBPyConnection) -> None:
    (costs,) = rows(faulty, "agent_costs")
    assert (costs["agent"], costs["runs"], costs["cost_usd"], costs["failing_runs"]) == ("shop", 168, 1.68, 36)
    assert (costs["failing_usd"], costs["judge_usd"], costs["remark"]) == (0.36, 0.168, None)


def test_turn_with_the_words_of_one_before_it_repeats(faulty: duckdb.DuckDBPyConnection) -> None:
    faulty.execute("begin")
    faulty.execute("update agent_traces set session_id = 'talk' where input like 'Where is%'")
    faulty.execute("update agent_traces set session_id = 'talk', input = 'No, that is wrong' where assembled_seq = 300")
    repeats = rows(faulty, "repeats", since="28d")
    faulty.execute("rollback")
    assert {row["session_id"] for row in repeats} == {"talk"}
    assert [row["sign"] for row in repeats].count("repeats") == 16
    assert [row["asked"] for row in repeats if row["sign"] == "corrects"] == ["No, that is wrong"]


def test_judge_and_person_who_differ_are_found(faulty: duckdb.DuckDBPyConnection) -> None:
    faulty.execute("begin")
    for run, passed in (("run-320", True), ("run-321", True)):
        faulty.execute(
            "insert into scores by name select * replace ('ada' || target_id as score_id, 'human' as evaluator_kind, "
            "'ada' as author, ? as passed) from scores where target_id = ? and author = 'tracegrade'",
            [passed, run],
        )
    found = rows(faulty, "agreement")
    to_label = {row["target_id"] for row in rows(faulty, "to_label")}
    faulty.execute("rollback")
    assert [(row["target_id"], row["person"], row["judge"], row["n"]) for row in found] == [
        ("run-320", "passed", "failed", 2)
    ]
    assert found[0]["agreement_rate"] == 0.5
    assert to_label
    assert "run-320" not in to_label


def test_what_an_agent_uses_since_lately_is_new(faulty: duckdb.DuckDBPyConnection) -> None:
    assert [(row["what"], row["value"]) for row in rows(faulty, "changed")] == [("version", "2")]

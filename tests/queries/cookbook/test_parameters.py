"""The parameters of reports: found in the SELECT, and filled in from options."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from tracegrade.queries.cookbook.errors import BadParameter
from tracegrade.queries.cookbook.library import read_library
from tracegrade.queries.cookbook.parameters import fill
from tracegrade.queries.cookbook.report import Report, find_parameters

REPORTS = [*read_library().reports.values()]
NOW = datetime(2026, 11, 27, 12, 30)  # noqa: DTZ001 - as the store keeps it


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_parameters_are_those_that_duckdb_finds(report: Report) -> None:
    (statement,) = duckdb.connect().extract_statements(report.sql)
    assert {*report.parameters} == statement.named_parameters


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        pytest.param("select $a + $b_2, $a", {"a", "b_2"}, id="each once"),
        pytest.param("select 1 -- $a\n/* $b\n $c */ where $d", {"d"}, id="not in comments"),
        pytest.param("""select '$a', 'it''s $b', e'\\'$c', "$d", $$ $e $$, $tag$ $f $tag$, $g""", {"g"}, id="texts"),
        pytest.param("select $1, x", set(), id="not by position"),
    ],
)
def test_parameters_are_found_outside_of_comments_and_texts(sql: str, names: set[str]) -> None:
    assert find_parameters(sql) == names


def test_common_parameters_come_first_and_own_ones_in_the_order_of_the_header() -> None:
    common = ("since", "until", "agent", "version", "environment")
    assert read_library().find("calls_with").parameters == (*common, "tool", "argument", "value")


def test_what_is_not_given_selects_everything_in_the_period_of_the_report() -> None:
    filled = fill(read_library().find("tools_by_hour"), {"tool": "search"}, now=NOW)
    assert filled.values == {
        "since": "2026-11-20T12:30:00",
        "until": "2026-11-27T12:30:00",
        "agent": None,
        "version": None,
        "environment": None,
        "tool": "search",
    }
    assert fill(read_library().find("failed"), {}, now=NOW).values["since"] == "2026-11-26T12:30:00"


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("7d", "2026-11-20T12:30:00"),
        ("24h", "2026-11-26T12:30:00"),
        ("2026-11-20", "2026-11-20T00:00:00"),
        ("2026-11-20T08:00+02:00", "2026-11-20T06:00:00"),
        ("yesterday", "2026-11-26T00:00:00"),
        ("today", "2026-11-27T00:00:00"),
    ],
)
def test_times_are_durations_before_now_days_or_iso_8601(text: str, time: str) -> None:
    assert fill(read_library().find("worse"), {"since": text}, now=NOW).values["since"] == time


def test_period_ends_at_until_and_begins_its_length_before_it() -> None:
    filled = fill(read_library().find("worse"), {"until": "2026-11-20"}, now=NOW)
    assert (filled.values["since"], filled.values["until"]) == ("2026-11-13T00:00:00", "2026-11-20T00:00:00")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param({"agnet": "x"}, "no parameter 'agnet' (did you mean 'agent'?); it takes: since, until", id="name"),
        pytest.param({"tool": "x"}, "it takes: since, until, agent, version, environment", id="of another report"),
        pytest.param({"since": "soon"}, "since: 'soon' is not a time; write 2026-11-22", id="time"),
        pytest.param({"since": "1h", "until": "2h"}, "since (2026-11-27 11:30) has to be before until", id="order"),
    ],
)
def test_wrong_parameter_names_the_right_ones(given: dict[str, str], message: str) -> None:
    with pytest.raises(BadParameter) as error:
        fill(read_library().find("worse"), given, now=NOW)
    assert message in str(error.value)


def test_report_without_a_period_takes_none(tmp_path: Path) -> None:
    (tmp_path / "all.sql").write_text("-- report: all\n-- purpose: How many?\nselect count(*) as n from runs")
    report = read_library(tmp_path).find("all")
    filled = fill(report, {}, now=NOW)
    assert (filled.values, filled.since, filled.until) == ({}, None, None)
    with pytest.raises(BadParameter, match="it takes: none"):
        fill(report, {"since": "1d"}, now=NOW)

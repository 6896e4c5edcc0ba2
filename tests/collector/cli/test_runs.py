"""`tracegrade runs` on a store that no server holds."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import pytest
from tests.support import agent_spans
from tests.support.command import Done, inside

from tracegrade.collector.cli.arguments.runs import runs as command
from tracegrade.collector.cli.runs import summarise
from tracegrade.queries.read.run_keys import SORTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of three runs."""
    folder = tmp_path_factory.mktemp("runs")
    for number, name in ((1, "travel"), (2, "travel"), (3, "shop")):
        (folder / f"{number}.pb").write_bytes(agent_spans.export_request(agent_spans.trip(number, name=name)))
    assert inside("import", "1.pb", "2.pb", "3.pb", at=folder).code == 0
    return folder


def runs(folder: Path, *words: str) -> Done:
    return inside("runs", *words, at=folder)


def test_table_says_when_who_what_was_asked_and_how_it_ended(folder: Path) -> None:
    done = runs(folder, "agent:shop")
    assert (done.code, done.err) == (0, "")
    head, row = (line.split("│") for line in done.text.splitlines() if "started_at" in line or "shop" in line)
    names = ["started_at", "run", "agent", "outcome", "input", "first_fault", "duration_ms", "cost_usd"]
    assert [cell.strip() for cell in head[0].strip("┃").split("┃")] == names
    cells = [cell.strip() for cell in row[1:-1]]
    assert cells[1:5] == ["00000000", "shop", "passed", "Find a flight to Paris"]
    assert cells[6] == "10.0 s"


def test_json_and_csv_have_all_columns_in_the_order_of_the_list(folder: Path) -> None:
    rows = json.loads(runs(folder, "--format", "json", "--sort", "-duration").out)
    assert sorted(row["agent_name"] for row in rows) == ["shop", "travel", "travel"]
    assert isinstance(rows[0]["gaps"], list)
    assert rows[0]["started_at"].endswith("Z")
    lines = list(csv.DictReader(io.StringIO(runs(folder, "--format", "csv").text)))
    assert [line["agent_trace_id"] for line in lines] == [row["agent_trace_id"] for row in rows]


def test_words_of_a_filter_may_stand_alone_and_begin_with_a_minus(folder: Path) -> None:
    rows = json.loads(runs(folder, "-agent:shop", "tool:search", "--format", "json").out)
    assert [row["agent_name"] for row in rows] == ["travel", "travel"]


def test_condition_in_sql_selects_runs(folder: Path) -> None:
    rows = json.loads(runs(folder, "sql:agent_name = 'shop'", "--format", "json").out)
    assert [row["agent_name"] for row in rows] == ["shop"]


def test_limit_says_that_there_are_more(folder: Path) -> None:
    done = runs(folder, "--limit", "2", "--format", "jsonl")
    assert len(done.text.splitlines()) == 2
    assert done.err == "tracegrade: only the first 2 are shown: --limit shows more\n"


def test_markdown_has_a_row_for_each_run(folder: Path) -> None:
    assert len(runs(folder, "--format", "markdown").text.splitlines()) == 5


def test_list_without_runs_says_so(folder: Path) -> None:
    done = runs(folder, "agent:nobody")
    assert (done.code, done.text, done.err) == (0, "", "tracegrade: no run matches\n")
    assert runs(folder, "--since", "1h", "--format", "json").out == b"[]\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            ["calls>1 agnet:shop"],
            "tracegrade: there is no field 'agnet'; did you mean 'agent'? Allowed: agent, model",
            id="filter",
        ),
        pytest.param(["calls>1", "agnet:shop"], "  calls>1 agnet:shop\n          ^\n", id="place in the filter"),
        pytest.param(["--limt", "5"], "there is no option --limt; `tracegrade runs --help` lists them", id="option"),
        pytest.param(["--since", "soon"], "--since: 'soon' is not a time", id="time"),
        pytest.param(["--since", "2026-01-02", "--until", "2026-01-01"], "--since has to be before", id="period"),
        pytest.param(["sql:agent = 1"], 'Referenced column "agent" not found', id="SQL"),
    ],
)
def test_wrong_input_lists_nothing_and_says_what_to_write(folder: Path, words: list[str], message: str) -> None:
    done = runs(folder, *words)
    assert (done.code, done.text) == (2, "")
    assert message in done.err


def test_command_knows_the_orders_of_lists() -> None:
    (sort,) = [option for option in command.params if option.name == "sort"]
    assert isinstance(sort.type, click.Choice)
    assert tuple(sort.type.choices) == SORTS


def test_long_texts_are_cut_and_on_one_line() -> None:
    row: dict[str, Any] = {
        "started_at": datetime(2026, 1, 1, 12),  # noqa: DTZ001 - as the store keeps it
        "agent_trace_id": "0123456789",
        "agent_name": None,
        "service_name": "web",
        "outcome": "failing",
        "input": "a\n\nb " + "c" * 100,
        "first_fault": "HTTP 503",
        "fault_tool": "pay",
        "fault_evaluator": None,
        "duration_ms": 1.0,
        "cost_usd": None,
    }
    assert summarise(row) == [
        "2026-01-01 12:00:00",
        "01234567",
        "web",
        "failing",
        "a b " + "c" * 56 + "…",
        "pay: HTTP 503",
        1.0,
        None,
    ]

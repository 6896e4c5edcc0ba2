"""What a coding agent is answered by the tools of the MCP server."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent, Tool
from tests.support.agent_spans import agent, tool
from tests.support.store import opened

from tracegrade.collector.cli.commands import COMMANDS
from tracegrade.collector.config.settings import load
from tracegrade.collector.mcp.access import Access
from tracegrade.collector.mcp.server import build_server
from tracegrade.evaluators.catalog.configure import configure

ROOT = Path(__file__).parents[3]
JSON = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
ALWAYS = "4000d"
TOOL_ERROR = configure("tool_error")
FAILED = f"{2:032x}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store with a good run, and one whose call failed with a long result; nobody has it open."""
    folder = tmp_path_factory.mktemp("store")
    with opened(folder) as store:
        store.ledger.enrol([TOOL_ERROR])
        store.add_runs(1)
        store.arrive(
            [
                agent(1, trace=2, name="travel", for_s=5),
                tool(
                    2,
                    "book",
                    trace=2,
                    parent=1,
                    result="x" * 5_000,
                    status_code="error",
                    status_message="no room \u202e",
                ),
            ]
        )
        store.revise(2)
        store.evaluate(TOOL_ERROR)
    yield folder / "store.duckdb"


def call(store: Path, tool_name: str, **arguments: Any) -> CallToolResult:
    """What a tool of a server over this store answers."""

    async def ask() -> CallToolResult:
        async with Client(build_server(Access(load(store=str(store)), server=None))) as client:
            return await client.call_tool(tool_name, arguments)

    return asyncio.run(ask())


def answer(store: Path, tool_name: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a tool, without its marks."""
    result = call(store, tool_name, **arguments)
    assert not result.is_error, result.content
    content: dict[str, Any] = result.structured_content or {}
    return {name: value for name, value in content.items() if name not in {"begin", "end"}}


def error(store: Path, tool_name: str, **arguments: Any) -> str:
    """The error of a tool, as a model reads it."""
    result = call(store, tool_name, **arguments)
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def list_tools(store: Path) -> list[Tool]:
    async def ask() -> list[Tool]:
        async with Client(build_server(Access(load(store=str(store)), server=None))) as client:
            return (await client.list_tools()).tools

    return asyncio.run(ask())


def test_every_tool_only_reads_describes_its_arguments_and_answers_in_structure(store: Path) -> None:
    tools = list_tools(store)
    assert [each.name for each in tools] == ["runs", "run", "explain", "reports", "report", "sql", "schema"]
    for each in tools:
        assert each.description
        assert each.output_schema
        assert each.annotations
        assert each.annotations.read_only_hint
        assert all(argument.get("description") for argument in each.input_schema["properties"].values())


def test_runs_are_those_that_the_filter_selects_newest_first(store: Path) -> None:
    assert answer(store, "runs", since=ALWAYS, limit=1)["count"] == 2
    failing = answer(store, "runs", filter="is:failing", since=ALWAYS)
    assert [(run["agent_trace_id"][:32], run["outcome"]) for run in failing["runs"]] == [(FAILED, "failing")]
    assert failing["runs"][0]["first_fault"]


def test_wrong_filter_is_answered_with_its_position_and_the_nearest_field(store: Path) -> None:
    message = error(store, "runs", filter="is:failing agnet:travel", since=ALWAYS)
    assert "character 11" in message
    assert "did you mean 'agent'?" in message


def test_period_that_ends_before_it_begins_is_refused(store: Path) -> None:
    assert "since has to be before 2020-01-01" in error(store, "runs", since="7d", until="2020-01-01")


def test_wrong_predicate_of_a_filter_is_answered_by_the_fence(store: Path) -> None:
    assert "nope" in error(store, "runs", filter="sql:nope = 1", since=ALWAYS)


def test_run_is_shown_with_calls_scores_and_messages_its_long_texts_cut_and_made_visible(store: Path) -> None:
    shown = answer(store, "run", id=FAILED)
    (called,) = shown["tool_calls"]
    assert called["result"].endswith("… 1,000 characters more")
    assert "<U+202E>" in called["error"]
    assert "tool_error" in {score["evaluator"] for score in shown["scores"]}
    assert [message["role"] for message in answer(store, "run", id=f"{1:032x}")["messages"]][:2] == [
        "user",
        "assistant",
    ]


def test_run_that_is_not_stored_is_answered_with_how_to_find_one(store: Path) -> None:
    assert "searched 2 runs" in error(store, "run", id="ffff")
    assert "may not have arrived yet. The tool runs lists ids" in error(store, "run", id="ffff")
    assert "runs and traces with spans were searched" in error(store, "explain", id="ffff")


def test_explanation_names_every_evaluator(store: Path) -> None:
    explanation = answer(store, "explain", id=FAILED)
    (run,) = explanation["runs"]
    assert explanation["shortened"] == []
    states = {each["evaluator"]: each["state"] for each in [*run["evaluators"], *run["others"]]}
    assert states["tool_error"] == "scored"
    assert len(states) > 3


def test_report_is_found_in_the_list_and_answered_for_its_period(store: Path) -> None:
    listed = answer(store, "reports")
    assert {"failed", "worse", "tool_scorecards"} <= {report["name"] for report in listed["reports"]}
    failed = answer(store, "report", name="failed", since=ALWAYS)
    assert len(failed["rows"]) == 1
    assert failed["since"]


def test_wrong_name_and_parameter_of_a_report_are_answered_with_the_right_ones(store: Path) -> None:
    assert "did you mean 'failed'?" in error(store, "report", name="faild")
    assert "it takes: since, until" in error(store, "report", name="failed", parameters={"colour": "red"})


def test_sql_is_answered_with_as_many_rows_as_the_limit_says(store: Path) -> None:
    assert answer(store, "sql", query="select * from range(5)", limit=2) == {
        "columns": ["range"],
        "rows": [[0], [1]],
        "truncated": True,
        "left_out": [],
    }


def test_answer_that_is_too_large_for_a_model_is_cut_and_says_so(store: Path) -> None:
    cut = answer(store, "sql", query="select repeat('x', 3000) as text from range(100)")
    assert cut["truncated"]
    assert 0 < len(cut["rows"]) < 100


def test_sql_that_writes_or_is_wrong_is_answered_with_the_message_of_the_fence(store: Path) -> None:
    assert "DELETE is refused" in error(store, "sql", query="delete from scores")
    assert '"nope" not found' in error(store, "sql", query="select nope from runs")


def test_schema_lists_relations_and_functions_and_describes_the_columns_of_one(store: Path) -> None:
    listed = answer(store, "schema")
    assert {"runs", "failures", "scores"} <= {each["name"] for each in listed["relations"]}
    assert {"since(span)", "wilson(passed, n)"} <= set(listed["functions"])
    (runs,) = answer(store, "schema", table="runs")["relations"]
    assert runs["columns"]["started_at"] == "TIMESTAMP"
    assert "did you mean 'failures'?" in error(store, "schema", table="failure")


def test_missing_store_is_answered_at_each_call_and_may_come_later(tmp_path: Path) -> None:
    assert "there is no such store" in error(tmp_path / "later.duckdb", "sql", query="select 1")


def test_store_is_not_held_between_calls(store: Path) -> None:
    answer(store, "sql", query="select 1")
    with opened(store.parent):
        pass


@pytest.mark.parametrize("snippet", JSON.findall((ROOT / "collector/docs/mcp.md").read_text(encoding="utf-8")))
def test_documented_set_up_starts_the_command(snippet: str) -> None:
    (servers,) = json.loads(snippet).values()
    assert servers["tracegrade"]["command"] == "tracegrade"
    assert servers["tracegrade"]["args"][0] in COMMANDS

"""Tools over HTTP: scorecards, and one tool with its versions and definitions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.support import agent_spans
from tests.support.api import read_error
from tests.support.api_reads import ask
from tests.support.store import Store, opened

PATH = "/api/v1/tools"
LONG_AGO = "2000-01-01"
OFFERED = orjson.dumps([{"name": "search", "description": "Find flights", "parameters": {"type": "object"}}]).decode()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two runs that call `search`, and a third that fails in `book`."""
    with opened(tmp_path) as store:
        store.add_runs(1, 2, name="travel", offers=OFFERED)
        spans = [
            agent_spans.agent(1, name="billing", trace=3, for_s=10),
            agent_spans.tool(2, "book", trace=3, parent=1, at_s=1, args={}, status_code="error"),
        ]
        store.arrive(spans)
        store.revise(3)
        yield store


def test_tools_are_listed_with_rates_and_their_n(store: Store) -> None:
    shown = {tool["tool"]: tool for tool in ask(store, PATH, since=LONG_AGO).json()["tools"]}
    assert (shown["search"]["n"], shown["search"]["errors"], shown["search"]["error_rate"]) == (2, 0, 0.0)
    assert (shown["book"]["n"], shown["book"]["errors"], shown["book"]["error_rate"]) == (1, 1, 1.0)


def test_limit_cuts_the_list_and_says_so(store: Store) -> None:
    shown = ask(store, PATH, since=LONG_AGO, limit=1).json()
    assert ([tool["tool"] for tool in shown["tools"]], shown["truncated"]) == (["search"], True)


def test_tool_that_was_not_called_in_the_period_has_no_rate(store: Store) -> None:
    shown = ask(store, f"{PATH}/search", since=LONG_AGO, until="2001-01-01").json()
    assert (shown["n"], shown["error_rate"], shown["mean_ms"], shown["p95_ms"]) == (0, None, None, None)


def test_one_tool_has_its_agents_durations_and_definitions(store: Store) -> None:
    shown = ask(store, f"{PATH}/search", since=LONG_AGO).json()
    assert [(use["agent"], use["n"]) for use in shown["versions"]] == [("travel", 2)]
    assert shown["p50_ms"] == shown["mean_ms"]
    (definition,) = shown["definitions"]
    assert (definition["description"], definition["runs"]) == ("Find flights", 2)
    assert definition["input_schema"] == {"type": "object"}
    assert definition["agents"] == ["travel"]


def test_tool_of_another_agent_is_found_though_the_filter_leaves_it_out(store: Store) -> None:
    assert ask(store, f"{PATH}/book", since=LONG_AGO, agent="travel").json()["n"] == 0


def test_unknown_tool_names_the_nearest(store: Store) -> None:
    answer = ask(store, f"{PATH}/serch")
    assert read_error(answer)[:2] == (404, "not_found")
    assert answer.json()["near"] == "search"


def test_name_of_a_tool_may_have_a_slash(store: Store) -> None:
    store.arrive(
        [
            agent_spans.agent(1, trace=4, for_s=10),
            agent_spans.tool(2, "files/read", trace=4, parent=1, at_s=1, args={}, result="1"),
        ]
    )
    store.revise(4)
    assert ask(store, f"{PATH}/files%2Fread", since=LONG_AGO).json()["n"] == 1


def test_tool_that_was_offered_and_never_called_is_no_unknown_one(store: Store) -> None:
    store.add_runs(5, offers=OFFERED.replace("search", "cancel"))
    shown = ask(store, f"{PATH}/cancel", since=LONG_AGO).json()
    assert (shown["n"], shown["error_rate"], len(shown["definitions"])) == (0, None, 1)
    assert ask(store, f"{PATH}/cancel", until="2001-01-01", since=LONG_AGO).json()["definitions"] == []

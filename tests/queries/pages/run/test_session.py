"""The page of a session, and two runs side by side, as a reader sees them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.support.agent_spans import agent, tool, trip
from tests.support.otlp import run_id
from tests.support.pages import make_pages_app, open_page
from tests.support.store import Clock, opened

from tracegrade.queries.answers.run import ToolCall
from tracegrade.queries.pages.run.comparison import compare_calls


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """A session whose third turn failed, and in which the user asks the same twice."""
    with opened(tmp_path_factory.mktemp("store"), now=Clock()) as store:
        store.add_runs(1, 2, session="a/b ?")
        names = {"gen_ai.conversation.id": "a/b ?"}
        failed = agent(1, trace=3, at_s=90, attributes=names, status_code="error", status_message="out of memory")
        store.arrive([failed])
        store.arrive(trip(4, offers=None, name="other"))
        store.revise(3, 4)
        yield make_pages_app(store.database, now=store.now)


def test_session_says_at_which_turn_it_failed(app: Starlette) -> None:
    shown = open_page(app, "/sessions/a%2Fb%20%3F?since=all")
    assert shown.status == 200
    assert "✗ Turn 3 of 3 failed: out of memory" in shown.text
    assert shown.link("Show where") == "#turn-3"
    assert "1 ○ 2 ○ 3 ✗" in shown.text
    assert "! the user repeats turn 1" in shown.text
    assert f"/runs/{run_id(3)}" in [address.partition("?")[0] for _, address in shown.links]


def test_links_to_turns_open_the_part_with_the_turn_and_the_turn(tmp_path: Path) -> None:
    names = {"gen_ai.conversation.id": "long"}
    with opened(tmp_path, now=Clock()) as store:
        for n in range(1, 61):
            status = "error" if n == 50 else "unset"
            store.arrive([agent(1, trace=n, at_s=n * 90, attributes=names, status_code=status)])
        store.revise(*range(1, 61))
        app = make_pages_app(store.database, now=store.now)
        turn_3 = open_page(app, open_page(app, f"/runs/{run_id(3)}?since=all").link("turn 3 of 60").partition("#")[0])
        where = open_page(app, turn_3.link("Show where").partition("#")[0])
    assert 'id="turn-3" data-row>\n  <details open>' in turn_3.source
    assert 'id="turn-4" data-row>\n  <details>' in turn_3.source
    assert turn_3.link("3 ○") == "#turn-3"
    assert turn_3.link("4 ○") == "/sessions/long?since=all&turn=4#turn-4"
    assert 'id="turn-50" data-row>\n  <details open>' in where.source


def test_unknown_session_is_not_found(app: Starlette) -> None:
    shown = open_page(app, "/sessions/none")
    assert (shown.status, "No run has the session id 'none'" in shown.text) == (404, True)


def test_comparison_shows_where_two_runs_differ(app: Starlette) -> None:
    shown = open_page(app, f"/compare?a={run_id(1)}&b={run_id(4)}")
    assert "Both made the same 1 call" in shown.text
    assert "agent ≠ travel other" in shown.text
    assert "version not recorded not recorded" in shown.text
    assert "The calls differ from number 1 on" in open_page(app, f"/compare?a={run_id(1)}&b={run_id(3)}").text


def test_comparison_of_long_runs_says_what_is_left_out(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        for trace, differs_at in ((1, None), (2, 230), (3, None)):
            calls = [
                tool(2 + n, "other" if n == differs_at else "read", trace=trace, parent=1, at_s=n, for_s=0.1)
                for n in range(500)
            ]
            store.arrive([agent(1, trace=trace, for_s=600), *calls])
        store.revise(1, 2, 3)
        app = make_pages_app(store.database, now=store.now)
        differing = open_page(app, f"/compare?a={run_id(1)}&b={run_id(2)}")
        same = open_page(app, f"/compare?a={run_id(1)}&b={run_id(3)}")
    assert "The calls differ from number 231 on" in differing.text
    assert "The first 210 calls are the same, and left out." in differing.text
    assert "90 later calls are not compared: all calls" in differing.text
    assert "Both made the same 500 calls" in same.text
    assert "300 more calls are the same, and left out." in same.text


@pytest.mark.parametrize("query", ["", "?a=1", f"?a={run_id(1)}&b=ffff"], ids=["none", "one", "unknown"])
def test_comparison_without_two_runs_says_what_to_do(app: Starlette, query: str) -> None:
    shown = open_page(app, f"/compare{query}")
    assert shown.status in {400, 404}
    assert "Two runs are compared" in shown.text or "There is no such run" in shown.text


def test_comparison_of_long_runs_begins_before_the_first_difference_and_says_what_it_leaves_out() -> None:
    began = [_make_call(number, "read") for number in range(1_000)]
    others = [[_make_call(number, name) for number in range(1_000, 2_000)] for name in ("ab", "aab")]
    a, b = ([*began, *other] for other in others)
    calls = compare_calls(a, b)
    assert calls.first_difference == 1_004
    assert calls.pairs[calls.first_difference - calls.same_before - 1].is_same is False
    assert all(pair.is_same for pair in calls.pairs[: calls.first_difference - calls.same_before - 1])
    assert calls.later == (2_000 - calls.same_before - 200,) * 2


def test_comparison_of_long_runs_with_the_same_calls_says_so() -> None:
    calls = [_make_call(number, "read") for number in range(2_000)]
    compared = compare_calls(calls, calls)
    assert (compared.first_difference, compared.same_before, compared.later) == (None, 0, (1_800, 1_800))


def _make_call(position: int, names: str) -> ToolCall:
    """A call at a position; one of several names in turns."""
    name = names if len(names) > 3 else names[position % len(names)]
    values: dict[str, Any] = {"position": position, "name": name, "args": {"x": 1}, "args_text": None}
    return ToolCall.model_construct(**values)

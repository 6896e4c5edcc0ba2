"""The page of a session, and two runs side by side, as a reader sees them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from tests.support.agent_spans import agent, trip
from tests.support.otlp import run_id
from tests.support.pages import make_pages_app, open_page
from tests.support.store import Clock, opened


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


def test_unknown_session_is_not_found(app: Starlette) -> None:
    shown = open_page(app, "/sessions/none")
    assert (shown.status, "No run has the session id 'none'" in shown.text) == (404, True)


def test_comparison_shows_where_two_runs_differ(app: Starlette) -> None:
    shown = open_page(app, f"/compare?a={run_id(1)}&b={run_id(4)}")
    assert "Both made the same 1 call" in shown.text
    assert "agent ≠ travel other" in shown.text
    assert "version not recorded not recorded" in shown.text
    assert "The calls differ from number 1 on" in open_page(app, f"/compare?a={run_id(1)}&b={run_id(3)}").text


@pytest.mark.parametrize("query", ["", "?a=1", f"?a={run_id(1)}&b=ffff"], ids=["none", "one", "unknown"])
def test_comparison_without_two_runs_says_what_to_do(app: Starlette, query: str) -> None:
    shown = open_page(app, f"/compare{query}")
    assert shown.status in {400, 404}
    assert "Two runs are compared" in shown.text or "There is no such run" in shown.text

"""A run of 2,000 spans fits on a page."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from starlette.applications import Starlette
from tests.support.agent_spans import agent, chat, text_message, tool
from tests.support.otlp import run_id
from tests.support.pages import make_pages_app, open_page
from tests.support.store import Clock, opened

FAILED = {300, 301, 700}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """A run that asks its model and calls a tool 999 times; three calls failed, the last one is not repeated."""
    spans = [agent(1, for_s=4_000)]
    for number in range(1, 1_000):
        asked = [text_message("user", f"Question {number}")]
        spans.append(chat(2 * number, parent=1, at_s=number, for_s=0.3, hears=asked, says=[]))
        is_failed = number in FAILED
        spans.append(
            tool(
                2 * number + 1,
                parent=1,
                at_s=number + 0.4,
                for_s=0.3,
                args={"number": number, "text": '"quoted"' * 100},
                result=None if is_failed else "r" * 3_000,
                status_code="error" if is_failed else "unset",
            )
        )
    with opened(tmp_path_factory.mktemp("store"), now=Clock()) as store:
        store.arrive(spans)
        store.revise(1)
        yield make_pages_app(store.database, now=store.now)


def test_page_is_small_and_opens_where_a_link_leads(app: Starlette) -> None:
    shown = open_page(app, f"/runs/{run_id(1)}?since=all")
    assert len(shown.source.encode()) < 150_000
    assert _count_nodes(shown.source) < 5_000
    failed = open_page(app, shown.link("call 700, search").partition("#")[0])
    assert 'id="call-700"' in failed.source
    assert len(failed.source.encode()) < 150_000


def test_spans_of_one_name_are_one_row_but_for_failed_ones(app: Starlette) -> None:
    shown = open_page(app, f"/runs/{run_id(1)}?since=all")
    assert "chat gpt-4.1-mini \u00d7 999" in shown.text
    assert "execute_tool search \u00d7 996" in shown.text
    assert shown.text.count("✗ execute_tool search") == 3
    assert _count_nodes(open_page(app, shown.link("Show every span")).source) > 10_000


class _Counter(HTMLParser):
    nodes = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.nodes += 1


def _count_nodes(source: str) -> int:
    counter = _Counter()
    counter.feed(source)
    return counter.nodes

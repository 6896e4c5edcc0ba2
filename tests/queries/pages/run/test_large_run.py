"""A run of 2,000 spans fits on a page."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

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


def test_link_to_a_fault_of_another_part_of_the_page_opens_that_part(app: Starlette) -> None:
    shown = open_page(app, f"/runs/{run_id(1)}?since=all&step=700")
    address, _, anchor = shown.link("call 300, search").partition("#")
    assert f'id="{anchor}"' not in shown.source
    assert f'id="{anchor}"' in open_page(app, address).source


def test_link_to_a_fault_within_a_long_sub_agent_leads_to_its_page(tmp_path: Path) -> None:
    failed = {5, 70}
    calls = [
        tool(3 + n, parent=2, at_s=n, for_s=0.1, status_code="error" if n in failed else "unset") for n in range(1, 90)
    ]
    with opened(tmp_path, now=Clock()) as store:
        store.arrive([agent(1, for_s=100, name="front"), agent(2, parent=1, for_s=95, name="back"), *calls])
        store.revise(1)
        app = make_pages_app(store.database, now=store.now)
        shown = open_page(app, f"/runs/{run_id(1)}?since=all")
        inner = open_page(app, shown.link("call 70, search"))
    assert shown.link("call 5, search") == "#call-5"
    assert '<li class="entry sub" id="agent-1" tabindex="-1">\n  <details open>' in shown.source
    assert "29 more entries: show them on the page of the sub-agent" in shown.text
    assert "« 60 earlier entries" in inner.text
    assert 'id="call-70"' in inner.source


def test_run_of_very_many_sub_agents_below_each_other_is_shown_up_to_a_depth(tmp_path: Path) -> None:
    depth = 400
    agents = [agent(n, name=f"a{n}", parent=n - 1 if n > 1 else None, at_s=n / 100, for_s=500) for n in range(1, depth)]
    with opened(tmp_path, now=Clock()) as store:
        store.arrive([*agents, tool(depth, parent=depth - 1, at_s=10, status_code="error")])
        store.revise(1)
        shown = open_page(make_pages_app(store.database, now=store.now), f"/runs/{run_id(1)}?since=all")
    assert shown.status == 200
    assert "left out here: more than 10 sub-agents are around it" in shown.text


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

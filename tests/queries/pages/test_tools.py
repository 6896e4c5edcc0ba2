"""The pages of tools, as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest
from starlette.applications import Starlette
from tests.support import agent_spans
from tests.support.pages import make_pages_app, open_page
from tests.support.store import Store, opened

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.queries.pages.tools.definitions import list_definitions

ALL = "since=all"


def offer(description: str, *names: str) -> str:
    tools = [{"name": name, "description": description, "parameters": {"type": "object"}} for name in names]
    return orjson.dumps(tools).decode()


def add_run(store: Store, trace: int, tool: str, *, city: str, **end: Any) -> None:
    """Adds a run that calls a tool once, and ends as the call does."""
    status: dict[str, Any] = {} if "result" in end else {"status_code": "error"}
    call = agent_spans.tool(2, tool, trace=trace, parent=1, at_s=1, args={"city": city}, **end, **status)
    store.arrive([agent_spans.agent(1, name="billing", trace=trace, for_s=10, **status), call])
    store.revise(trace)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """`book` fails in two of three runs, `search` in none; `refund` is only offered."""
    with opened(tmp_path_factory.mktemp("tools")) as store:
        evaluators = configure("tool_error"), configure("tool_name_reliability")
        store.ledger.enrol(evaluators)
        store.add_runs(1, offers=offer("Find flights", "search", "refund"))
        store.add_runs(2, offers=offer("Find cheap flights", "search"))
        add_run(store, 3, "book", city="Oslo", status_message="HTTP 503: try later")
        add_run(store, 4, "book", city="Oslo", status_message="HTTP 503: try later")
        add_run(store, 5, "book", city="<b>Rome</b>", result="done")
        store.evaluate(*evaluators)
        yield make_pages_app(store.database)


def test_tool_that_made_most_runs_fail_comes_first(app: Starlette) -> None:
    shown = open_page(app, f"/tools?{ALL}")
    tools = [label for label, address in shown.links if re.fullmatch(r"/tools/\w+\?since=all", address)]
    assert [tool for tool in tools if tool != "1 finding"] == ["book", "search", "refund"]
    assert "2 of 3" in shown.text


def test_every_number_of_runs_is_that_of_the_list_which_it_links_to(app: Starlette) -> None:
    pages = [open_page(app, f"/tools{path}?{ALL}") for path in ("", "/book", "/search")]
    counts = {
        address: int(label.partition(" ")[0])
        for page in pages
        for label, address in page.links
        if urlsplit(address).path == "/runs" and "q=" in address and re.fullmatch(r"\d+( runs?| failing runs?)?", label)
    }
    assert len(counts) >= 6
    assert any("is%3Afailing" in address for address in counts)
    for address, count in counts.items():
        listed = re.search(r"(\d+) (?:of \d+ )?runs? Filter", open_page(app, address).text)
        assert listed is not None, address
        assert int(listed[1]) == count, address


def test_tool_that_is_only_offered_is_folded(app: Starlette) -> None:
    shown = open_page(app, f"/tools?{ALL}")
    assert "Offered but never called: 1 tool" in shown.text


def test_tool_shows_what_went_wrong_with_which_arguments(app: Starlette) -> None:
    shown = open_page(app, f"/tools/book?{ALL}")
    assert "HTTP 503" in shown.text
    assert re.search(r"Oslo 2 ✗ 2 of 2", shown.text)
    assert "<b>Rome" not in shown.source
    address = next(address for label, address in shown.links if label == "Oslo")
    assert "report=calls_with" in address
    assert open_page(app, address).status == 200


def test_definition_is_compared_with_the_one_before(app: Starlette) -> None:
    shown = open_page(app, f"/tools/search?{ALL}")
    assert "Changed from 1" in shown.text
    assert "- Find flights + Find cheap flights" in shown.text
    assert "tool_name_reliability" in shown.text


def test_tool_without_recorded_definition_says_so(app: Starlette) -> None:
    assert "the spans do not say what the model was offered" in open_page(app, f"/tools/book?{ALL}").text


def test_unknown_tool_names_the_nearest(app: Starlette) -> None:
    shown = open_page(app, "/tools/serch")
    assert (shown.status, "'search'" in shown.text) == (404, True)


def test_empty_store_says_what_to_do(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        shown = open_page(make_pages_app(store.database), "/tools")
    assert (shown.status, "No tool was called" in shown.text) == (200, True)
    assert "gen_ai.operation.name" in shown.text


def test_difference_of_definitions_has_every_changed_line_and_says_where_it_ends() -> None:
    def make_row(hash_: str, description: str) -> dict[str, Any]:
        return {"definition_hash": hash_, "description": description, "input_schema": None, "agents": []}

    many = "\n".join(map(str, range(1_000)))
    newest, *_ = list_definitions([make_row("b", f"++ new\n{many}"), make_row("a", f"-- old\n{many}")], [])
    lines = [f"{line.sign}{line.text}" for line in newest.difference]
    assert lines[:2] == ["--- old", "+++ new"]
    assert lines[-1] == " … lines after number 400 are not compared"
    assert len(lines) < 10

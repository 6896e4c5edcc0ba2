"""A sender makes thousands of names: pages stay small, and a search finds each name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from tests.support import agent_spans
from tests.support.many_names import insert_names
from tests.support.pages import make_pages_app, open_page
from tests.support.store import Store, opened

from tracegrade.collector.feedback.validate import is_name
from tracegrade.queries.catalog import report

COUNT = 3_000
LAST = f"{COUNT - 1:06}"
LARGEST_BYTES = 300_000
PAGES = (
    "/",
    "/?since=all",
    "/runs",
    "/sessions",
    "/tools",
    "/tools?since=all",
    f"/tools/tool%20{LAST}",
    "/tools/nothing",
    "/datasets",
    "/datasets/dataset-000000",
    "/datasets/nothing",
    "/experiments",
    f"/experiments/{1:032x}",
    "/evaluators",
    f"/evaluators/code%20{LAST}",
    f"/evaluators/human%20{LAST}",
    "/evaluators/nothing",
    "/labelling",
    "/preview",
    "/sql",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with thousands of names of every kind."""
    with opened(tmp_path_factory.mktemp("store")) as store:
        insert_names(store, COUNT)
        yield store


@pytest.fixture(scope="module")
def app(store: Store) -> Starlette:
    return make_pages_app(store.database, now=store.now)


@pytest.mark.parametrize("address", PAGES)
def test_page_stays_small_whatever_is_stored(app: Starlette, address: str) -> None:
    shown = open_page(app, address)
    assert shown.status in (200, 404)
    assert len(shown.source) <= LARGEST_BYTES


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("/tools", f"tool {LAST}"),
        ("/tools", f"uncalled {LAST}"),
        ("/datasets", f"dataset-{LAST}"),
        ("/evaluators", f"code {LAST}"),
        ("/evaluators", f"human {LAST}"),
    ],
    ids=["tool", "offered tool", "dataset", "evaluator", "people"],
)
def test_search_finds_a_name_that_was_cut(app: Starlette, page: str, name: str) -> None:
    cut = open_page(app, page)
    assert name not in cut.text
    assert "000 tools shown" in cut.text or "000 datasets shown" in cut.text or "000 evaluators shown" in cut.text
    found = open_page(app, f"{page}?search={quote(name.upper())}")
    assert any(label.startswith(name) for label, _ in found.links)
    assert open_page(app, found.link(name)).status == 200


def test_each_picker_takes_names_that_it_does_not_suggest(app: Starlette) -> None:
    for name, value in (("agent", "agent"), ("version", "version"), ("environment", "place"), ("service", "service")):
        shown = open_page(app, f"/runs?{name}={quote(f'{value} {LAST}')}")
        assert f'<input name="{name}" value="{value} {LAST}"' in shown.source
        assert shown.source.count(f'<option value="{value} ') <= 101
        assert f"user {LAST}" not in open_page(app, "/runs").text
        assert f"{COUNT - 1 + 1000:032x}"[-8:] in shown.source


def test_pickers_find_names_by_a_part(app: Starlette) -> None:
    for name, value in (("agent", "agent"), ("version", "version"), ("environment", "place"), ("service", "service")):
        shown = open_page(app, f"/runs?{name}={quote(LAST[1:] if name == 'agent' else f'{value} {LAST}'.upper())}")
        assert f"these contain it: {value} {LAST}" in shown.text
        assert f'value="{value} {LAST}"' in open_page(app, shown.link(f"{value} {LAST}")).source


def test_report_of_tools_is_bounded(store: Store) -> None:
    with store.database.cursor() as connection:
        assert len(connection.execute(report("tools_by_name")).fetchall()) == 1_000


def test_score_with_a_long_name_is_refused() -> None:
    assert is_name("e" * 500)
    assert not is_name("e" * 501)


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """The pages of a store with runs whose names have 300,000 characters."""
    with opened(tmp_path_factory.mktemp("store")) as store:
        for number in range(1, 4):
            name = f"{number}{'n' * 300_000}"
            session = {"gen_ai.conversation.id": name, "user.id": name, "gen_ai.agent.version": name}
            where: dict[str, Any] = {"service_name": name, "service_version": name, "deployment_environment": name}
            run = agent_spans.agent(10 * number, name=name, trace=number, attributes=session, **where)
            call = agent_spans.tool(10 * number + 1, name, parent=10 * number, trace=number, result="no", **where)
            store.arrive([run, call])
            store.revise(number)
        yield make_pages_app(store.database, now=store.now)


def test_long_names_are_shortened_but_differ(long_names: Starlette) -> None:
    shown = open_page(long_names, "/tools?since=all")
    tools = {address for _, address in shown.links if address.startswith("/tools/")}
    assert len(tools) == 3
    assert all(len(address) < 2_000 and open_page(long_names, address).status == 200 for address in tools)


@pytest.mark.parametrize(
    "address",
    ["/?since=all", "/runs?since=all", "/sessions?since=all", "/tools?since=all", "/evaluators", "/labelling"],
)
def test_page_stays_small_with_long_names(long_names: Starlette, address: str) -> None:
    shown = open_page(long_names, address)
    assert shown.status == 200
    assert len(shown.source) <= LARGEST_BYTES

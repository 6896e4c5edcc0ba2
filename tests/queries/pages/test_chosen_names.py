"""The pages of evaluators when an agent is chosen in the pickers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote

import pytest
from tests.support.page_client import PageClient, serve_pages
from tests.support.store import opened

AGENT = "ada's checkout"
PAGE = "/evaluators/tool_error"
CHOSEN = f"since=all&agent={quote(AGENT)}"


@pytest.fixture
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    """Three runs from before the evaluators, one of them of another agent than the others."""
    folder = tmp_path_factory.mktemp("store")
    with opened(folder) as store:
        store.add_runs(1, 2)
        store.add_runs(3, name=AGENT)
    with serve_pages(folder, evaluators=[{"use": "tool_error"}]) as url, PageClient(url) as client:
        yield client


def text_of(source: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", unescape(source)).split())


def backfill(reader: PageClient, query: str) -> tuple[str, str]:
    """What the page says before a backfill, and after it."""
    page = f"{PAGE}/backfill?past=2000-01-01&{query}"
    source = reader.get(page).text
    period = dict(re.findall(r'name="(from|until)" value="([^"]*)"', source))
    sent = reader.submit(page, f"{PAGE}/backfill?{query}", None, **period)
    assert sent.status_code == 303, text_of(sent.text)
    return text_of(source), text_of(reader.get(sent.headers["location"]).text)


def test_backfill_takes_only_runs_of_the_chosen_agent_and_says_so(reader: PageClient) -> None:
    before, after = backfill(reader, CHOSEN)
    assert f"1 run of the agent {AGENT} began between" in before
    assert "1 to evaluate." in before
    assert "✓ 1 score requested" in after
    before, after = backfill(reader, "since=all")
    assert "3 runs began between" in before
    assert "✓ 2 scores requested" in after


def test_figures_of_all_agents_say_so_where_an_agent_is_chosen(reader: PageClient) -> None:
    listed, shown = (text_of(reader.get(f"{page}?{CHOSEN}").text) for page in ("/evaluators", PAGE))
    assert f"Scores and failed runs are those of the agent {AGENT} ." in listed
    assert "over all labels of all agents" in shown
    assert "of all agents" not in text_of(reader.get(PAGE).text)

"""Names that a path does not carry as they are: each link of a list leads to the page of its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from selenium.webdriver.common.by import By
from tests.support.browser import browsing
from tests.support.many_names import insert_names
from tests.support.nightly import rest_at_night
from tests.support.page_client import serve_pages
from tests.support.store import Store, opened

from tracegrade.queries.path_segment import read_segment, write_segment

NAMES = (
    "..", ".", "", "...", "a?b", "a#b", "a%2fb", "a/b", "a\\b", "../x", "x/..", "//evil", "/", "a/", "~", "..~",
    "x/backfill", "pause", "compare", "two words \N{GRINNING FACE}", "a&b=c", "a;b", "<b>",
)  # fmt: skip
TABLES = {
    "tools": (
        "update tool_calls set name = $new where name = $old",
        "update agent_traces set tools = [$new], failed_tools = [$new], fault_tool = $new where tools = [$old]",
    ),
    "datasets": ("update datasets set dataset = $new where dataset = $old",),
    "evaluators": ("update scores set evaluator = $new where evaluator = $old",),
    "experiments": ("update experiments set experiment_id = $new where experiment_id = $old",),
    "sessions": ("update agent_traces set session_id = $new where session_id = $old",),
}
OLD = {
    "tools": "tool {:06}",
    "datasets": "dataset-{:06}",
    "evaluators": "code {:06}",
    "experiments": "{:032x}",
    "sessions": "session {:06}",
}
SHOWN = [name for name in NAMES if name]
"""An empty name has no text that a reader could press, and the store keeps none for most of these."""


def rename(store: Store) -> None:
    """Gives each kind of thing the hostile names."""
    with store.results.transaction() as connection:
        for kind, statements in TABLES.items():
            for number, name in enumerate(SHOWN, 1):
                for statement in statements:
                    connection.execute(statement, {"old": OLD[kind].format(number), "new": name})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server with things of these names."""
    folder: Path = tmp_path_factory.mktemp("store")
    with opened(folder) as store:
        insert_names(store, len(SHOWN) + 1)
        rename(store)
    with serve_pages(folder) as url:
        yield url


def read_links(client: httpx.Client, kind: str) -> dict[str, str]:
    """The links of a list to pages of names, by name."""
    source = client.get(f"/{kind}").text
    paths = {part.split('"')[0] for part in source.split('href="')[1:] if part.startswith(f"/{kind}/")}
    return {read_segment(unquote(path.split("?")[0].removeprefix(f"/{kind}/"))): path for path in paths}


@pytest.mark.parametrize("name", NAMES)
def test_segment_survives_clients_that_resolve_paths(name: str) -> None:
    sent = httpx.URL("http://host").join(f"/tools/{write_segment(name)}/pause")
    assert sent.raw_path.count(b"/") == 3
    assert read_segment(unquote(sent.raw_path.decode().split("/")[2])) == name


@pytest.mark.parametrize("kind", rest_at_night(2, TABLES))
def test_every_link_of_a_list_leads_to_its_name(served: str, kind: str) -> None:
    with httpx.Client(base_url=served, trust_env=False, timeout=60) as client:
        links = read_links(client, kind)
        assert set(SHOWN) <= set(links)
        for name in SHOWN:
            answer = client.get(httpx.URL(served).join(links[name].replace("&amp;", "&")))
            assert answer.status_code == 200, (name, links[name])
            assert f'href="/{kind}/' not in answer.headers.get("location", "")


@pytest.mark.parametrize("kind", ["tools", "datasets", "experiments", "sessions"])
def test_api_answers_to_each_name(served: str, kind: str) -> None:
    field = {"tools": "tool", "datasets": "dataset", "sessions": "session_id"}.get(kind)
    with httpx.Client(base_url=served, trust_env=False, timeout=60) as client:
        for name in SHOWN:
            answer = client.get(
                f"/api/v1/{kind}/{write_segment(name)}", params={"since": "24h"} if field == "tool" else {}
            )
            assert answer.status_code == 200, name
            body = answer.json()
            assert (body[field] if field else body["experiment"]["experiment_id"]) == name


def test_page_of_a_name_links_to_itself(served: str) -> None:
    with httpx.Client(base_url=served, trust_env=False, timeout=60) as client:
        for name in SHOWN:
            path = f"/tools/{write_segment(name)}"
            assert f'href="{path.replace("&", "&amp;")}?' in client.get(path).text, name


def test_link_to_a_question_mark_asks_nothing(served: str) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    answer = httpx.get(f"{served}/tools/{write_segment('a?b')}", headers=link, trust_env=False)
    assert "Nothing was run yet" not in answer.text


def test_browser_follows_links_to_dots(served: str) -> None:
    with browsing() as browser:
        for name in ("..", ".", "a?b", "a#b", "../x", "//evil"):
            browser.open(f"{served}/tools")
            browser.driver.find_element(By.LINK_TEXT, name).click()
            assert browser.driver.find_element(By.TAG_NAME, "h1").text.startswith(name)
            assert urlsplit(browser.driver.current_url).path == f"/tools/{write_segment(name)}"

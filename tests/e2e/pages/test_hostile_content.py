"""Whatever a sender can write is shown as text: no page runs it, follows it, or is changed by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from tests.support import agent_spans
from tests.support.browser import Browser
from tests.support.crawl import GET_PAGES, Crawl, crawl
from tests.support.otlp import trace_id
from tests.support.server import HURRIED, Server, running

MARK = "window.hacked=1"
SCRIPT = f"<script>{MARK}</script><img src=x onerror={MARK}><style>*{{display:none}}</style></title></textarea>"
LINK = f'\'"><a href="javascript:{MARK}">a</a> [b](javascript:{MARK}) <javascript:{MARK}>'
CONTROLS = "\x1b[2J\x9b31m\x07\u202ec\u2066d\u200be\ufeff\ufe01\U000e0041\x00"
HOSTILE = f"{SCRIPT}{LINK}{CONTROLS}"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe01\ufeff\U000e0041]")
SHOWN = "&lt;script&gt;"

every_page = pytest.mark.parametrize("path", [*GET_PAGES])


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a failing run in which every name and text does its worst."""
    asked, answered = agent_spans.text_message("user", HOSTILE), agent_spans.text_message("assistant", HOSTILE)
    names = {"gen_ai.conversation.id": HOSTILE, "user.id": HOSTILE, "gen_ai.agent.version": HOSTILE}
    model = {"gen_ai.request.model": HOSTILE, "gen_ai.tool.definitions": f'[{{"name": "{MARK}"}}]'}
    failure: dict[str, Any] = {"status_code": "error", "status_message": HOSTILE, "attributes": {"error.type": HOSTILE}}
    spans = [
        agent_spans.agent(1, name=HOSTILE, attributes=names),
        agent_spans.chat(2, parent=1, at_s=1, hears=[asked], says=[answered], attributes=model),
        agent_spans.tool(3, HOSTILE, parent=1, at_s=3, args={HOSTILE: HOSTILE}, result=HOSTILE, **failure),
    ]
    keys = ("service.name", "service.version", "deployment.environment.name")
    with running(tmp_path_factory.mktemp("hostile") / "store.duckdb", variables=HURRIED) as server:
        body = agent_spans.export_request(spans, resource=dict.fromkeys(keys, HOSTILE.replace("\x00", "")))
        assert server.post(body).is_success
        server.scores(trace_id(1))
        target = {"trace_id": trace_id(1)}
        score = {"target": target, "name": SCRIPT[:90], "passed": False, "author": LINK, "explanation": HOSTILE}
        answer = httpx.post(f"{server.web}/api/v1/annotations", json=score, trust_env=False)
        assert answer.is_success, answer.text
        yield server


@pytest.fixture(scope="module")
def hostile(hostile_server: Server) -> Crawl:
    """The pages of the hostile run, and those to which hostile links lead."""
    written = quote(HOSTILE)
    links = [f"/runs?since=all&q={written}", f"/?since=all&agent={written}", f"/{written}", f"/runs?since={written}"]
    return crawl(hostile_server.web, "/?since=all", "/runs?since=all", *links)


def test_hostile_text_is_shown(hostile: Crawl) -> None:
    assert any(SHOWN in (answer.text or "") for answer in hostile.of("/runs"))


def test_page_has_no_code_and_no_links_but_its_own(hostile: Crawl) -> None:
    for answer in hostile.answers:
        reader = _Reader()
        reader.feed(answer.text or "")
        assert reader.faults == [], answer.address
        assert [text for text in reader.texts if OBEYED.search(text)] == [], answer.address


def test_links_with_hostile_values_lead_to_an_answer(hostile: Crawl) -> None:
    assert [answer.address for answer in hostile.answers if answer.status >= 500] == []


@every_page
def test_browser_runs_nothing_of_it(browser: Browser, hostile_server: Server, hostile: Crawl, path: str) -> None:
    for answer in hostile.of(path)[:3]:
        browser.open(f"{hostile_server.web}{answer.address}")
        assert browser.run("return window.hacked") is None
        assert browser.find("main").is_displayed()
        refused = [error for error in browser.errors() if "status of 40" not in error]
        assert (refused, browser.overflow()) == ([], [])


class _Reader(HTMLParser):
    """Finds what a page may not have: scripts and styles in it, handlers of events, links that run code. `texts` are
    those that are shown or read aloud; values of fields are what a form sends, unchanged."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.texts.extend(values.get(name, "") for name in ("title", "aria-label", "placeholder"))
        is_code = tag in {"img", "style", "iframe", "object", "base"} or (tag == "script" and "src" not in values)
        links = [values.get(name, "") for name in ("href", "src", "action", "formaction")]
        leaves = [link for link in links if link and not link.startswith(("/", "#", "?"))]
        if is_code or leaves or "style" in values or any(name.startswith("on") for name in values):
            self.faults.append(f"{tag} {attrs}")

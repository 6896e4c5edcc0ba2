"""What holds for every page: they are found by following links, so that a new page is covered when it is linked to."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

import httpx
import pytest
from tests.support.browser import NARROW, WIDE, Browser
from tests.support.crawl import GET_PAGES, Crawl

MOST_BYTES = 150_000
LINKS_TO_SQL: Final = re.compile(r'href="(/sql\?[^"]+)"')
UNLINKED = {"/login", "/evaluators/{name:path}/backfill", "/experiments/compare"}
"""Pages that no link leads to: if a token is needed, and for what a form has asked."""

every_page = pytest.mark.parametrize("path", [path for path in GET_PAGES if path not in UNLINKED])


@every_page
def test_page_is_reached_by_links(crawled: Crawl, path: str) -> None:
    assert [each for each in crawled.answers if each.page is GET_PAGES[path]]


def test_every_link_leads_to_an_answer(crawled: Crawl, crawled_empty: Crawl) -> None:
    answers = [*crawled.answers, *crawled_empty.answers]
    assert [f"{each.status} {each.address}, on {each.source}" for each in answers if each.status >= 400] == []


def test_pages_lead_to_queries_that_are_answered(crawled: Crawl, history_url: str) -> None:
    links = {link for answer in crawled.answers for link in LINKS_TO_SQL.findall(answer.text or "")}
    assert len(links) > 20
    with httpx.Client(base_url=history_url, trust_env=False, timeout=30) as client:
        answers = {link: client.get(unescape(link)) for link in links}
    assert [
        link for link, answer in answers.items() if answer.status_code != 200 or 'role="alert"' in answer.text
    ] == []


@every_page
def test_page_allows_no_scripts_styles_and_frames_but_its_own(crawled: Crawl, path: str) -> None:
    for answer in crawled.of(path):
        policy = answer.headers["content-security-policy"]
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"):
            assert part in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


@every_page
def test_page_is_small(crawled: Crawl, path: str) -> None:
    sizes = {answer.address: len((answer.text or "").encode()) for answer in crawled.of(path)}
    assert {address: size for address, size in sizes.items() if size >= MOST_BYTES} == {}


@every_page
@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide", "narrow and dark"])
def test_page_is_without_faults_in_a_browser(
    browser: Browser, history_url: str, crawled: Crawl, path: str, width: int, scheme: str
) -> None:
    for answer in crawled.of(path)[:1]:
        browser.open(f"{history_url}{answer.address}", width=width, scheme=scheme)
        assert (browser.errors(), browser.overflow(), browser.barriers()) == ([], [], [])


@every_page
def test_page_of_an_empty_store_is_without_faults(
    browser: Browser, empty_url: str, crawled_empty: Crawl, path: str
) -> None:
    for answer in crawled_empty.of(path)[:1]:
        browser.open(f"{empty_url}{answer.address}", width=NARROW)
        assert (browser.errors(), browser.overflow(), browser.barriers()) == ([], [], [])

"""Keys for readers of many runs."""

from __future__ import annotations

import pytest
from selenium.webdriver import Keys
from tests.support.browser import Browser
from tests.support.crawl import GET_PAGES, Crawl

ROW = "return [...document.querySelectorAll('[data-row]')].findIndex(row => row.contains(document.activeElement))"


@pytest.mark.parametrize("path", [*GET_PAGES])
def test_question_mark_lists_the_keys_of_every_page(
    browser: Browser, history_url: str, crawled: Crawl, path: str
) -> None:
    for answer in crawled.of(path)[:1]:
        browser.open(f"{history_url}{answer.address}")
        browser.run("document.activeElement.blur()")  # in a field, keys are text
        browser.press("?")
        browser.press("?")
        assert {"/", "j", "k", "?"} <= set(browser.find("#keys").text.split())
        browser.press(Keys.ESCAPE)
        assert not browser.find("#keys").is_displayed()
        assert browser.errors() == []


def test_slash_writes_a_filter_which_enter_applies(browser: Browser, history_url: str) -> None:
    browser.open(f"{history_url}/runs?since=7d")
    browser.press("/")
    browser.press("is:failing j")
    browser.press(Keys.ENTER)
    assert browser.path in ("/runs?since=7d&q=is%3Afailing+j", "/runs?q=is%3Afailing+j&since=7d")


def test_j_and_k_go_from_run_to_run_and_enter_opens_one(browser: Browser, history_url: str) -> None:
    browser.open(f"{history_url}/runs?since=7d")
    rows = []
    for key in "jjjk":
        browser.press(key)
        rows.append(browser.run(ROW))
    assert rows == [0, 1, 2, 1]
    link = browser.run("return document.activeElement.getAttribute('href')")
    browser.press(Keys.ENTER)
    assert browser.path == link

"""The end of live counts, in a browser."""

from __future__ import annotations

from pathlib import Path

from selenium.webdriver.support.wait import WebDriverWait
from tests.support.browser import Browser
from tests.support.page_client import serve_pages
from tests.support.store import opened

TOKEN = "secret"


def test_page_says_that_runs_are_not_counted_after_the_end_of_the_login(browser: Browser, tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
    with serve_pages(tmp_path, token=TOKEN) as url:
        browser.open(f"{url}/login?next=%2Fruns%3Fsince%3Dall")
        browser.find("[name=token]").send_keys(TOKEN)
        browser.find("main button").click()
        browser.driver.delete_all_cookies()
        browser.run("dispatchEvent(new Event('pageshow'))")  # opens the counts again, now without a login
        live = browser.find("[data-live]")
        WebDriverWait(browser.driver, 10).until(lambda _: live.is_displayed())
        assert live.text == "new runs are not counted any more: open the page again"

"""What people come for is found within the clicks that it may take, from the start page of a week."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Keys
from tests.support.browser import Browser
from tests.support.history import history_store
from tests.support.page_client import serve_history
from tests.support.polling import until

from tracegrade.collector.demo.judge import JUDGE_EVALUATOR

START = "/?since=7d"
LIST = "/runs?since=7d&q=is%3Afailing"


@dataclass
class Reader:
    """Somebody with a mouse and keys, who counts."""

    browser: Browser
    url: str
    clicks: int = 0
    keys: int = 0

    def open(self, path: str) -> None:
        """Opens a page to begin with."""
        self.browser.open(f"{self.url}{path}")

    def click(self, selector: str) -> str:
        """Clicks the first such element of the content or the menu; returns its text."""
        element = self.browser.find(selector)
        text = element.text
        element.click()
        self.clicks += 1
        return text

    def press(self, keys: str) -> None:
        self.browser.press(keys)
        self.keys += 1

    @property
    def text(self) -> str:
        """What can be read of the page."""
        return " ".join(str(self.browser.run("return document.querySelector('main')?.innerText ?? ''")).split())

    @property
    def title(self) -> str:
        """The first heading."""
        return self.browser.find("main h1").text

    def sees(self, selector: str) -> bool:
        """Whether the middle of an element is in the window."""
        return bool(
            self.browser.run(
                "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                "const middle = (box.top + box.bottom) / 2;"
                "return box.height > 0 && middle >= 0 && middle <= innerHeight",
                selector,
            )
        )


@pytest.fixture(scope="module")
def weeks_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a history of four weeks: in the last one, something got worse."""
    store = history_store(tmp_path_factory, days=28).copy_to(tmp_path_factory.mktemp("weeks"))
    with serve_history(store) as url:
        yield url


@pytest.fixture
def reader(browser: Browser, weeks_url: str) -> Reader:
    return Reader(browser, weeks_url)


def number_in(text: str) -> int:
    """The first number of a text."""
    found = re.search(r"\d[\d,]*", text)
    assert found is not None, text
    return int(found[0].replace(",", ""))


def test_is_something_wrong_and_since_when(reader: Reader) -> None:
    reader.open(START)
    assert re.search(r"travel_agent got worse .*Since \d+ \w+ \d\d:\d\d", reader.text)
    assert reader.clicks + reader.keys == 0


def test_runs_in_which_a_tool_failed(reader: Reader) -> None:
    reader.open(START)
    count = number_in(reader.click('main a[href*="tool%3A"][href*="error"]'))
    assert number_in(reader.title) == count > 0
    assert reader.clicks == 1


def test_same_error_elsewhere(reader: Reader) -> None:
    reader.open(START)
    reader.click('main table a[href*="pattern%3A"]')
    assert number_in(reader.title) > 1
    assert "HTTP 429" in reader.text
    assert reader.clicks == 1


def test_version_that_made_it_worse(reader: Reader) -> None:
    reader.open(START)
    assert "version, model and tools did not change" in reader.text  # the history's fault comes without a release
    assert reader.clicks == 0


def test_why_the_judge_said_no(reader: Reader) -> None:
    reader.open(START)
    reader.click(f'main a[href*="score%3A%22{JUDGE_EVALUATOR}%22%3Afailed"]')
    reader.click("main [data-row] a")
    # It is the first fault of the run, or stands among its scores.
    assert re.search(rf"{JUDGE_EVALUATOR} (?:did not pass: |0\.\d\d )[A-Z]", reader.text)
    assert reader.clicks == 2


def test_disagree_with_the_evaluators(reader: Reader) -> None:
    reader.open(LIST)
    reader.browser.find("main [data-row] a").click()
    reader.press("g")
    assert until(lambda: "Your label was stored" in reader.text)
    assert reader.keys == 1
    reader.press("u")
    assert until(lambda: "Your label was stored" not in reader.text)


def test_share_what_i_see(reader: Reader, browser: Browser) -> None:
    reader.open(LIST)
    reader.browser.find("main [data-row] a").click()
    shared, seen = browser.path, reader.text
    browser.driver.delete_all_cookies()
    reader.open(shared)
    assert reader.text == seen


def test_what_is_worth_a_label(reader: Reader) -> None:
    reader.open(START)
    reader.click('nav a[href^="/evaluators"]')
    reader.click('main nav a[href^="/labelling"]')
    assert "Good or bad" in reader.title
    assert reader.clicks == 2


def test_what_twenty_runs_asked(reader: Reader) -> None:
    reader.open(START)
    reader.click('nav a[href^="/runs"]')
    asked = reader.browser.run(
        "return [...document.querySelectorAll('.asked')].filter(e => e.textContent.trim()).length"
    )
    assert asked >= 20
    assert reader.clicks == 1


def test_first_error_of_a_run(reader: Reader) -> None:
    reader.open("/runs?since=7d&q=tool%3Aget_weather%3Afault&sort=-calls")
    reader.browser.find("main [data-row] a").click()
    reader.click('main .finding a[href^="#"]')
    assert until(lambda: reader.sees(reader.browser.run("return location.hash")))
    assert "HTTP 429" in reader.browser.find(reader.browser.run("return location.hash")).text
    assert reader.clicks == 1


def test_next_failing_run(reader: Reader) -> None:
    reader.open(LIST)
    reader.browser.find("main [data-row] a").click()
    first = reader.browser.path
    reader.press("j")
    assert until(lambda: reader.browser.path.partition("?")[0] != first.partition("?")[0])
    assert until(lambda: "2 of" in reader.text)
    assert reader.keys == 1


def test_whole_conversation(reader: Reader) -> None:
    reader.open("/runs?since=7d&q=sql%3Asession_id+is+not+null")
    reader.browser.find("main [data-row] a").click()
    reader.click('main a[href^="/sessions/"]')
    assert reader.browser.path.startswith("/sessions/")
    assert reader.clicks == 1


def test_cost_of_failing_runs(reader: Reader) -> None:
    reader.open(START)
    assert re.search(r"Cost of failing runs \$\d", reader.text, re.IGNORECASE)
    assert reader.clicks == 0


def test_why_runs_were_not_scored(reader: Reader) -> None:
    reader.open(START)
    reader.click('main a[href$="#reasons"]')
    assert until(lambda: reader.sees("#reasons"))
    assert "skipped: " in reader.text
    assert reader.clicks == 1


def test_answer_to_a_question_of_ones_own_as_a_file(reader: Reader, browser: Browser, tmp_path: Path) -> None:
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    reader.open(START)
    reader.click('nav a[href^="/sql"]')
    reader.press("select agent_name, count(*) as n from runs group by agent_name order by n desc")
    reader.press(Keys.TAB)
    reader.press(Keys.TAB)
    reader.press(Keys.ENTER)
    [file] = until(lambda: [*tmp_path.glob("*.csv")])
    rows = [*csv.DictReader(file.read_text(encoding="utf-8").splitlines())]
    assert {"agent_name": "travel_agent", "n": rows[0]["n"]} == rows[0]
    assert reader.clicks == 1

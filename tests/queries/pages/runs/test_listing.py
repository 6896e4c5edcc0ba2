"""The list of runs, as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from starlette.applications import Starlette
from tests.support.agent_spans import agent, text_message, trip
from tests.support.pages import Shown, make_pages_app, open_page
from tests.support.store import Clock, opened

from tracegrade.collector.spans.span import Span
from tracegrade.queries.pages.run import reading
from tracegrade.queries.read.run import find_run
from tracegrade.queries.read.source import Read

RUNS = 60
PAGE = 50


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """Runs of two agents in six hours, the first the newest: those of version 2 of `booking` failed."""
    with opened(tmp_path_factory.mktemp("store"), now=Clock()) as store:
        store.arrive(make_run(number) for number in range(RUNS))
        store.revise(*range(1, RUNS + 1))
        yield make_pages_app(store.database, now=store.now)


def make_run(number: int) -> Span:
    is_failed = number % 4 == 0
    attributes = {
        "gen_ai.agent.version": "2" if is_failed else "1",
        "gen_ai.input.messages": orjson.dumps([text_message("user", f"Question {number} <b>")]).decode(),
        "gen_ai.usage.cost": 0.01,
    }
    ended: dict[str, Any] = {"status_code": "error", "status_message": "HTTP 503"} if is_failed else {}
    name = "support" if number % 2 else "booking"
    at_s = -360.0 * number
    return agent(1, trace=number + 1, name=name, at_s=at_s, for_s=number + 1, attributes=attributes, **ended)


def open_list(app: Starlette, **query: str) -> Shown:
    return open_page(app, f"/runs?{urlencode({'since': 'all', **query})}")


def count_of(shown: Shown) -> int:
    found = re.search(r"<h1>([\d,]+) ", shown.source)
    assert found is not None, shown.text
    return int(found[1].replace(",", ""))


def rows_of(shown: Shown) -> list[int]:
    """The numbers of the listed runs."""
    return [int(address[6:38], 16) - 1 for _, address in shown.links if re.match(r"/runs/[0-9a-f]{32}-", address)]


def test_run_is_a_row_with_what_was_asked_and_answered_or_what_failed(app: Starlette) -> None:
    shown = open_list(app, q="id:" + "0" * 31)
    assert rows_of(shown) == list(range(15))
    assert "Question 1 <b>" in shown.text
    assert "Question 1 <b>" not in shown.source
    assert "error: HTTP 503" in shown.text
    assert "✗ failing" in shown.text
    assert "no calls" in shown.text
    assert "not scored" in shown.text
    assert "not recorded" in shown.text  # the cost of failed runs


def test_list_has_all_runs_of_its_filter_in_pages(app: Starlette) -> None:
    first = open_list(app)
    assert (count_of(first), rows_of(first)) == (RUNS, list(range(PAGE)))
    second = open_page(app, first.link("next »"))
    assert rows_of(second) == list(range(PAGE, RUNS))
    assert "next »" not in dict(second.links)
    assert rows_of(open_page(app, second.link("« first"))) == rows_of(first)


def test_count_is_that_of_the_filter_beside_all(app: Starlette) -> None:
    shown = open_list(app, q="is:failing")
    assert rows_of(shown) == list(range(0, RUNS, 4))
    assert "15 of 60 runs" in shown.text


def test_bars_of_all_hours_have_as_many_runs_as_the_list(app: Starlette) -> None:
    shown = open_list(app, q="agent:booking")
    bars = {address for _, address in shown.links if "from=" in address and "to=" in address}
    assert len(bars) > 1
    assert sum(count_of(open_page(app, address)) for address in bars) == count_of(shown) == 30


def test_first_and_last_day_of_a_period_have_as_many_runs_as_their_lists(app: Starlette) -> None:
    shown = open_page(app, "/runs?from=2025-12-20T20:00Z&to=2025-12-31T21:00Z")
    bars = {address for label, address in shown.links if "UTC: " in label}
    assert len(bars) > 4
    assert sum(count_of(open_page(app, address)) for address in bars) == count_of(shown)
    assert 0 < count_of(shown) < RUNS


def test_what_these_runs_have_more_often_than_others_leads_to_those_that_have_it(app: Starlette) -> None:
    shown = open_list(app, q="is:failing")
    assert "version 2 100.0 % against 0.0 %" in shown.text.partition("Different here")[2]
    narrowed = open_page(app, shown.link("version 2"))
    assert count_of(narrowed) == 15
    assert 'version:"2" is:failing' in unescape(narrowed.source)


def test_order_is_chosen_and_kept_on_the_next_page(app: Starlette) -> None:
    longest = open_page(app, open_list(app).link("longest first"))
    assert rows_of(longest) == list(range(RUNS - 1, RUNS - PAGE - 1, -1))
    assert rows_of(open_page(app, longest.link("next »"))) == list(range(RUNS - PAGE - 1, -1, -1))


def test_cursor_of_another_list_begins_the_list_anew(app: Starlette) -> None:
    following = open_list(app).link("next »")
    assert rows_of(open_page(app, f"{following}&q=is%3Afailing"))[0] == 0
    assert rows_of(open_list(app, cursor="no cursor"))[0] == 0


def test_filter_that_selects_nothing_says_how_many_each_condition_excludes(app: Starlette) -> None:
    shown = open_list(app, q="is:failing agent:support", version="2")
    assert count_of(shown) == 0
    without = {label: address for label, address in shown.links if re.fullmatch(r"[\d,]+ runs?", label)}
    assert sorted(without) == ["0 runs", "15 runs"]
    assert '0 runs without version:"2"' in shown.text
    assert "0 runs without is:failing" in shown.text
    assert "15 runs without agent:support" in shown.text
    assert count_of(open_page(app, without["15 runs"])) == 15


def test_all_time_can_be_fixed(app: Starlette) -> None:
    fixed = open_page(app, open_list(app).link("Fix this period"))
    assert count_of(fixed) == RUNS
    assert "Last 24 hours" in fixed.text


def test_period_without_runs_offers_all_time(app: Starlette) -> None:
    shown = open_page(app, "/runs?from=2020-01-01&to=2020-01-02")
    assert "No runs began in this period" in shown.text
    assert count_of(open_page(app, shown.link("Look at all time"))) == RUNS


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("agent:booking agnet:x", 15, "did you mean 'agent'?"),
        ('"open', 1, "this quotation mark is not closed"),
        ("cost>much", 6, "much"),
        ("is:bad", 4, "failing"),
    ],
)
def test_wrong_filter_shows_where_it_is_wrong_and_no_runs(app: Starlette, text: str, column: int, message: str) -> None:
    shown = open_list(app, q=text, agent="booking")
    assert shown.status == 400
    assert message in shown.text
    assert f"(character {column})" in shown.text
    assert not rows_of(shown)
    assert count_of(open_page(app, shown.link("Show the list without a filter"))) == 30


def test_wrong_sql_in_a_filter_shows_the_message_of_the_database(app: Starlette) -> None:
    shown = open_list(app, q="is:failing sql:cost_used > 1")
    assert shown.status == 400
    assert 'column "cost_used" not found' in shown.text


def test_condition_in_sql_is_listed(app: Starlette) -> None:
    assert rows_of(open_list(app, q="agent:booking sql:duration_ms > 55000")) == [56, 58]


@pytest.mark.parametrize(
    "query",
    [
        {"q": "is:failing"},
        {"q": 'agent:"booking" duration>20s calls<3'},
        {"q": "-duration<=20s sql:agent_version = '1' or failing", "agent": "booking"},
        {},
    ],
)
def test_list_is_a_query_to_go_on_from(app: Starlette, query: dict[str, str]) -> None:
    shown = open_list(app, **query)
    answer = open_page(app, shown.link("this list"))
    assert f"{count_of(shown)} rows" in answer.text


def test_sessions_have_a_row_each_with_their_turns(tmp_path_factory: pytest.TempPathFactory) -> None:
    with opened(tmp_path_factory.mktemp("store"), now=Clock()) as store:
        for trace, session in enumerate(("s/1", "s/1", "other"), 1):
            store.arrive(trip(trace, session=session))
        store.arrive(trip(4))
        store.revise(1, 2, 3, 4)
        app = make_pages_app(store.database, now=store.now)
        shown = open_page(app, open_list(app).link("Sessions"))
        addresses = [address for _, address in shown.links if address.startswith("/sessions/")]
        assert sorted(addresses) == ["/sessions/other?since=all", "/sessions/s%2F1?since=all"]
        [only] = [
            address
            for _, address in open_page(app, "/sessions?since=all&q=session:other").links
            if address.startswith("/sessions/")
        ]
        assert only == "/sessions/other?since=all&q=session%3Aother"
        nobody = open_page(app, "/sessions?since=all&q=agent:nobody")
        assert "4 runs without agent:nobody" in nobody.text
        alone = open_page(app, f"/sessions?since=all&q=id:{4:032x}")
        assert "The only run of this list has no session id" in alone.text


def test_run_and_session_lead_back_to_the_part_of_the_list_with_its_filter(app: Starlette) -> None:
    part = open_page(app, open_list(app, sort="started_at").link("next »"))
    address = next(address for _, address in part.links if re.match(r"/runs/[0-9a-f]{32}-", address))
    run = open_page(app, address)
    assert rows_of(open_page(app, run.link("« Runs"))) == rows_of(part)
    assert "sort=started_at" in part.link("Sessions")
    compared = open_page(app, run.link("compare with next"))
    assert compared.status == 200
    assert "sort=started_at" in compared.link("« Runs")
    assert compared.link("Swap sides").count("_at=") == 2


def test_session_of_a_filtered_list_leads_back_to_it(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.arrive(trip(1, session="s"))
        store.revise(1)
        app = make_pages_app(store.database, now=store.now)
        sessions = "/sessions?since=all&q=agent%3Atravel"
        [address] = [to for _, to in open_page(app, sessions).links if to.startswith("/sessions/")]
        shown = open_page(app, address)
        assert shown.link("« Sessions agent:travel") == sessions
        assert "1 of 1" in open_page(app, shown.link("Show the run")).text


def test_runs_are_found_by_id_and_time(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[datetime | None] = []

    def find(read: Read, id_: str, *, at: datetime | None = None) -> dict[str, Any]:
        times.append(at)
        return find_run(read, id_, at=at)

    monkeypatch.setattr(reading, "find_run", find)
    listed = open_list(app)
    address = next(address for _, address in listed.links if re.match(r"/runs/[0-9a-f]{32}-", address))
    run = open_page(app, address)
    compared = open_page(app, run.link("compare with next"))
    open_page(app, compared.link("Swap sides"))
    open_page(app, run.link("dataset item"))
    answer = open_page(app, f"/sql?{urlencode({'sql': 'select agent_trace_id, started_at from runs limit 1'})}")
    open_page(app, next(to for _, to in answer.links if to.startswith("/runs/")))
    assert len(times) == 7
    assert None not in times

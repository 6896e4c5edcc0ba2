"""The overview, as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.applications import Starlette
from tests.support.history import history_store
from tests.support.pages import Shown, make_pages_app, open_page
from tests.support.store import opened

from tracegrade.collector.demo.agents import FAULTY_AGENT

pytestmark = pytest.mark.exhaustive  # the history takes ten seconds to make

END = datetime(2026, 1, 30, 12)  # noqa: DTZ001 - as the store keeps it
PERIOD = f"from={END - timedelta(hours=28):%Y-%m-%dT%H:%MZ}&to={END:%Y-%m-%dT%H:%MZ}"
COUNT = re.compile(r"(?:.*\()?(?:[✗] )?([\d,]+)(?: of [\d,]+\)| (?:runs?|not scored).*)?")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    folder = tmp_path_factory.mktemp("overview")
    history_store(tmp_path_factory, days=7, end=END).copy_to(folder)
    with opened(folder) as store:
        yield make_pages_app(store.database, now=lambda: END)


@pytest.fixture(scope="module")
def overview(app: Starlette) -> Shown:
    return open_page(app, f"/?{PERIOD}")


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Starlette]:
    with opened(tmp_path) as store:
        yield make_pages_app(store.database, received={"spans": 1_234, "refused": {"toolarge": 2}})


def test_first_sentence_says_what_got_worse_since_when_and_where(overview: Shown) -> None:
    assert overview.status == 200
    sentence = overview.text.partition(f"✗ {FAULTY_AGENT} got worse ")[2].partition(" Runs ")[0]
    assert re.match(r"Since 2\d Jan \d\d:00 : failing runs [\d.]+ % → [\d.]+ % \(\d+ of \d+\)", sentence)
    assert "get_weather, HTTP 429" in sentence


def test_every_number_of_runs_is_that_of_the_list_which_it_links_to(app: Starlette, overview: Shown) -> None:
    counts = {
        address: int(match[1].replace(",", ""))
        for label, address in overview.links
        if urlsplit(address).path == "/runs" and (match := COUNT.fullmatch(label))
    }
    assert len(counts) > 10
    for address, count in counts.items():
        listed = re.search(r"([\d,]+) (?:of [\d,]+ )?runs? Filter", open_page(app, address).text)
        assert listed is not None, address
        assert int(listed[1].replace(",", "")) == count, address


def test_bars_count_all_runs_and_link_to_those_of_their_time(overview: Shown) -> None:
    bars = re.findall(r'<a href="(/runs\?[^"]+)">\s*<title>[^<]+UTC: ([^<]+)</title>', overview.source)
    counts = [sum(int(number) for number in re.findall(r"(\d+) [a-z]", title)) for _, title in bars]
    total = re.search(r"Runs ([\d,]+) ", overview.text)
    assert total is not None
    assert sum(counts) == int(total[1].replace(",", ""))
    for address, _ in bars:
        query = parse_qs(urlsplit(address.replace("&amp;", "&")).query)
        assert query["to"] > query["from"]


def test_links_keep_the_chosen_names(app: Starlette) -> None:
    shown = open_page(app, f"/?{PERIOD}&agent={FAULTY_AGENT}&environment=production")
    addresses = [address for _, address in shown.links if urlsplit(address).path == "/runs"]
    assert len(addresses) > 10
    assert all(
        {f"agent={FAULTY_AGENT}", "environment=production"} <= set(urlsplit(each).query.split("&"))
        for each in addresses
    )


def test_period_without_runs_says_so_and_offers_a_longer_one(app: Starlette) -> None:
    shown = open_page(app, "/?from=2020-01-01&to=2020-01-02")
    assert "No runs in this period" in shown.text
    assert "since=all" in shown.link("all time")


def test_all_time_has_nothing_before_it_to_compare_with(app: Starlette) -> None:
    assert "There is no period before it" in open_page(app, "/?since=all").text


def test_fixed_period_that_is_over_offers_no_live_counts(app: Starlette) -> None:
    assert "data-live=" in open_page(app, "/?since=24h").source
    later = open_page(app, "/?from=2026-01-29&to=2026-01-30T10:00Z")
    assert "data-live=" not in later.source


def test_empty_store_shows_where_to_send_spans_and_what_has_arrived(empty: Starlette) -> None:
    shown = open_page(empty, "/")
    assert "Waiting for the first run" in shown.text
    assert "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318" in shown.text
    assert "1,234 spans" in shown.text
    assert "✗ 2 requests: toolarge" in shown.text
    assert shown.source.count('<details class="framework">') == 10
    assert '<noscript><meta http-equiv="refresh"' in shown.source


def test_empty_store_becomes_the_overview_with_the_first_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        app = make_pages_app(store.database)
        assert "Waiting for the first run" in open_page(app, "/").text
        store.add_runs(1)
        assert "Waiting for the first run" not in open_page(app, "/").text

"""The pages of evaluators, as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.applications import Starlette
from tests.support.evaluators import make_evaluator
from tests.support.history import history_store
from tests.support.pages import Shown, make_pages_app, open_page
from tests.support.store import opened

from tracegrade.collector.cli.demo_history import load_history_settings
from tracegrade.collector.config.settings import evaluators_of
from tracegrade.collector.demo.judge import JUDGE_EVALUATOR
from tracegrade.evaluators.model import AgentTrace, Score

pytestmark = pytest.mark.exhaustive  # the history takes ten seconds to make

END = datetime(2026, 1, 30, 12)  # noqa: DTZ001 - as the store keeps it
PERIOD = f"from={END - timedelta(days=3):%Y-%m-%dT%H:%MZ}&to={END:%Y-%m-%dT%H:%MZ}"
LISTED = re.compile(r"([\d,]+) (?:of [\d,]+ )?runs? Filter")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    folder = tmp_path_factory.mktemp("evaluators")
    store_file = history_store(tmp_path_factory, days=7, end=END).copy_to(folder)
    evaluators = evaluators_of(load_history_settings(str(store_file)))
    with opened(folder) as store:
        yield make_pages_app(store.database, now=lambda: END, evaluators=evaluators)


@pytest.fixture(scope="module")
def judge(app: Starlette) -> Shown:
    return open_page(app, f"/evaluators/{JUDGE_EVALUATOR}?{PERIOD}")


def count_listed(app: Starlette, address: str) -> int:
    listed = LISTED.search(open_page(app, address).text)
    assert listed is not None, address
    return int(listed[1].replace(",", ""))


def test_every_evaluator_stands_in_a_group(app: Starlette) -> None:
    shown = open_page(app, f"/evaluators?{PERIOD}")
    assert shown.status == 200
    assert "9 evaluators, none needs attention" in shown.text
    assert "✓ 9 healthy" in shown.text
    assert f"{JUDGE_EVALUATOR} llm v1" in shown.text
    assert sum(urlsplit(address).path.startswith("/evaluators/") for _, address in shown.links) == 9


def test_numbers_of_failed_runs_are_those_of_their_lists(app: Starlette) -> None:
    links = open_page(app, f"/evaluators?{PERIOD}").links
    counts = {address: int(label) for label, address in links if "failed" in address and label.isdigit()}
    assert len(counts) == 5
    for address, count in counts.items():
        assert count_listed(app, address) == count, address


def test_every_bin_has_as_many_runs_as_its_list(app: Starlette, judge: Shown) -> None:
    bins = [
        (int(label), address)
        for label, address in judge.links
        if label.isdigit() and re.search("<0|>=0", parse_qs(urlsplit(address).query).get("q", [""])[0])
    ]
    assert len(bins) == 10
    assert sum(count for count, _ in bins) > 50
    assert [count for count, _ in bins] == [count_listed(app, address) for _, address in bins]


def test_judge_is_compared_with_people(judge: Shown) -> None:
    counts = re.search(r"judge: ✓ passed (\d+) (\d+) judge: ✗ failed (\d+) (\d+)", judge.text)
    compared = re.search(r"of (\d+) labels by 2 people agree", judge.text)
    assert counts is not None
    assert compared is not None
    assert sum(int(count) for count in counts.groups()) == int(compared[1])
    assert "Newest disagreements" in judge.text


def test_settings_of_an_evaluator_stand_on_its_page(judge: Shown) -> None:
    for text in ("goal_achievement , version 1", "passes at 0.7", "sampling 50 % of all", "schedule as runs arrive"):
        assert text in judge.text, text


def test_unknown_evaluator_names_the_nearest(app: Starlette) -> None:
    shown = open_page(app, "/evaluators/tool_eror")
    assert shown.status == 404
    assert "did you mean 'tool_error'?" in shown.text


def test_evaluator_that_the_configuration_lost_keeps_its_page(tmp_path: Path) -> None:
    former = make_evaluator("former")
    with opened(tmp_path) as store:
        store.ledger.enrol([former])
        store.add_runs(1)
        store.evaluate(former)
        app = make_pages_app(store.database)
        listed, shown = open_page(app, "/evaluators?since=all"), open_page(app, "/evaluators/former?since=all")
    assert "not configured" in listed.text
    assert "The configuration does not have this evaluator" in shown.text
    assert "1 of 1" in shown.text


def test_reasons_and_errors_stand_with_the_number_of_their_targets(tmp_path: Path) -> None:
    def fail(run: AgentTrace) -> Score:
        if int(run.trace_id, 16) > 2:
            raise RuntimeError("out of <b>paper</b>")
        return Score.skip("nothing to read")

    broken = make_evaluator("broken", fail)
    with opened(tmp_path) as store:
        store.ledger.enrol([broken])
        store.add_runs(1, 2, 3)
        store.evaluate(broken)
        app = make_pages_app(store.database, evaluators=[broken])
        listed, shown = open_page(app, "/evaluators?since=all"), open_page(app, "/evaluators/broken?since=all")
    assert "1 of 1 evaluators needs attention" in listed.text
    assert "✗ 1 of 3 of the targets of its last pass ended in an error" in shown.text
    assert "skipped: nothing to read 2 run" in shown.text
    assert "out of <b>paper</b>" in shown.text
    assert "<b>paper" not in shown.source


def test_store_without_anything_says_how_to_begin(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        shown = open_page(make_pages_app(store.database), "/evaluators")
    assert (shown.status, "No evaluators" in shown.text) == (200, True)


def test_empty_queue_says_why(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        shown = open_page(make_pages_app(store.database), "/labelling?since=all")
    assert "Nothing to label" in shown.text

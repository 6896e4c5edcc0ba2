"""The pages of datasets and experiments, as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.applications import Starlette
from tests.support.experiments import make_item, make_scored_run, make_start
from tests.support.pages import make_pages_app, open_page
from tests.support.store import Store, opened

from tracegrade.collector.store.experiments.datasets import Datasets
from tracegrade.collector.store.experiments.experiments import Experiments
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import Score
from tracegrade.queries.ports import DatasetChange, ExperimentRuns, RecordedRun

HOSTILE = "<script>alert(1)</script>"


def add_experiment(
    store: Store, name: str, values: Mapping[str, Sequence[float | Score]], *, is_last: bool = True
) -> str:
    """Adds an experiment with repeats of these scores by item, and returns its id; without any, a run has no score."""
    experiments = Experiments(store.results)
    repeats = max(1, *map(len, values.values()))
    start = make_start(name, items=len(values), repeats=repeats, plan_hash=name, dataset="trips", dataset_version=1)
    experiment_id = experiments.begin(start).experiment_id
    runs = [
        RecordedRun.of(_make_run(name, item, value, repeat=repeat), position)
        for position, (item, repeated) in enumerate(values.items())
        for repeat, value in enumerate(repeated or [None])
    ]
    experiments.record(ExperimentRuns(experiment_id=experiment_id, runs=tuple(runs), is_last=is_last))
    return experiment_id


def _make_run(name: str, item: str, value: float | Score | None, *, repeat: int) -> ExperimentRun:
    run = make_scored_run(item, *([] if value is None else [value]), repeat=repeat)
    run_id = f"{name[:3]}-{item}-{repeat}"
    scores = tuple(replace(score, agent_trace_id=run_id, score_id=f"score of {run_id}") for score in run.scores)
    return replace(run, run=None, agent_trace_id=run_id, scores=scores)


@pytest.fixture(scope="module")
def ids() -> dict[str, str]:
    return {}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, ids: dict[str, str]) -> Iterator[Starlette]:
    with opened(tmp_path_factory.mktemp("experiments")) as store:
        datasets = Datasets(store.results, now=store.now)
        items = (make_item("a"), make_item("b", HOSTILE), make_item("c"))
        datasets.change(DatasetChange(dataset="trips", items=items, author="ada"))
        item = DatasetItem.model_validate({"id": "d", "input": {"to": "Oslo"}, "expected_tool_calls": ["search"]})
        datasets.change(DatasetChange(dataset="trips", items=(item,), removed=("c",), author="bob"))
        ids["old"] = add_experiment(store, "old prompt", {"a": [1, 1], "b": [0, 1], "c": [1, 1]})
        ids["new"] = add_experiment(store, "new prompt", {"a": [1, 0], "b": [1, 1], "c": [1, 1]}, is_last=False)
        ids["silent"] = add_experiment(store, "half silent", {"a": [1], "b": [], "c": [Score.skip("nothing to read")]})
        yield make_pages_app(store.database)


def test_datasets_are_listed_with_version_and_number_of_items(app: Starlette) -> None:
    shown = open_page(app, "/datasets")
    assert shown.link("trips") == "/datasets/trips"
    assert "trips 2 3" in shown.text


def test_dataset_shows_its_items_and_what_changed_by_version(app: Starlette) -> None:
    shown = open_page(app, "/datasets/trips")
    assert "3 items in version 2" in shown.text
    assert re.search(r"bob 3 \+1 added .1 removed", shown.text)
    assert "calls search" in shown.text
    assert HOSTILE not in shown.source
    assert HOSTILE in shown.text


def test_former_version_of_a_dataset_says_that_it_is_one(app: Starlette) -> None:
    shown = open_page(app, "/datasets/trips?number=1")
    assert "⚠ not the newest" in shown.text
    assert shown.link("version 2") == "/datasets/trips"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/datasets/trip", "did you mean 'trips'?"),
        ("/datasets/trips?number=9", "trips has no version 9; the newest is 2."),
        ("/experiments/none", "There is no experiment 'none'."),
    ],
    ids=["dataset", "version", "experiment"],
)
def test_what_does_not_exist_is_said_with_what_does(app: Starlette, path: str, text: str) -> None:
    shown = open_page(app, path)
    assert (shown.status, text in shown.text) == (404, True)


def test_experiments_are_listed_with_their_state(app: Starlette, ids: dict[str, str]) -> None:
    shown = open_page(app, "/experiments?dataset=trips")
    assert shown.link("old prompt") == f"/experiments/{ids['old']}"
    assert "✓ ended" in shown.text
    assert "◐ not ended" in shown.text


def test_experiment_shows_rates_and_the_items_that_failed_first(app: Starlette, ids: dict[str, str]) -> None:
    shown = open_page(app, f"/experiments/{ids['old']}")
    assert "✗ 1 of 3 items did not pass." in shown.text
    assert "83.3 %" in shown.text
    assert shown.text.index("✗ failed b") < shown.text.index("✓ passed a")
    assert shown.link("run 1") == "/runs/old-b-0"
    assert HOSTILE not in shown.source


def test_item_without_a_score_has_not_passed(app: Starlette, ids: dict[str, str]) -> None:
    shown = open_page(app, f"/experiments/{ids['silent']}")
    assert "✓ 1 of 3 items passed what was evaluated. ○ no score: 2 of 3 items." in shown.text
    assert shown.text.count("○ no score") == 5  # of all items, of two, and of the run of each
    assert shown.text.index("○ no score c") < shown.text.index("✓ passed a")


def test_comparison_names_items_without_a_score_on_one_side(app: Starlette, ids: dict[str, str]) -> None:
    shown = open_page(app, f"/experiments/compare?before={ids['old']}&after={ids['silent']}")
    assert "○ No score only after 2 b b c c" in shown.text
    assert "1 of 3 0 items 0 items" in shown.text
    assert "0; an item passes" in shown.text


def test_comparison_shows_the_items_that_flipped_with_their_runs(app: Starlette, ids: dict[str, str]) -> None:
    shown = open_page(app, f"/experiments/compare?before={ids['old']}&after={ids['new']}")
    assert "✗ worse own a a 2 of 2 run 1 run 2 1 of 2 run 1 run 2" in shown.text
    assert "✓ better own b" in shown.text
    assert "○ No clear change" in shown.text
    assert "3 items compared" in shown.text
    runs = [address for label, address in shown.links if label == "run 2"]
    assert runs == ["/runs/old-a-1", "/runs/new-a-1", "/runs/old-b-1", "/runs/new-b-1"]


def test_one_experiment_is_not_compared_with_itself(app: Starlette, ids: dict[str, str]) -> None:
    shown = open_page(app, f"/experiments/compare?before={ids['old']}&after={ids['old']}")
    assert (shown.status, "Two experiments are compared" in shown.text) == (400, True)


@pytest.mark.parametrize(
    ("path", "command"), [("/datasets", "tracegrade dataset add"), ("/experiments", "tracegrade experiment run")]
)
def test_empty_store_says_what_to_do(tmp_path: Path, path: str, command: str) -> None:
    with opened(tmp_path) as store:
        shown = open_page(make_pages_app(store.database), path)
    assert (shown.status, command in shown.text) == (200, True)

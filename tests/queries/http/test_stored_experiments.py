"""Datasets and experiments of a store over HTTP, page by page."""

from __future__ import annotations

from pathlib import Path

from tests.support.api import read_error
from tests.support.api_reads import ask
from tests.support.experiments import make_item, make_recorded_run, make_start
from tests.support.store import Store, opened

from tracegrade.collector.store.experiments.datasets import Datasets
from tracegrade.collector.store.experiments.experiments import Experiments
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.queries.ports import DatasetChange, ExperimentRuns


def add_items(store: Store, *items: DatasetItem) -> None:
    Datasets(store.results, now=store.now).change(DatasetChange(dataset="trips", items=items))


def test_dataset_is_read_page_by_page(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_items(store, *(DatasetItem(id=str(number), input={"to": number}, tags=("a",)) for number in range(3)))
        (entry,) = ask(store, "/api/v1/datasets").json()["datasets"]
        first = ask(store, "/api/v1/datasets/trips", limit=2).json()
        second = ask(store, "/api/v1/datasets/trips", limit=2, after=first["next"]).json()
    assert (entry["dataset"], entry["items"]) == ("trips", 3)
    assert [DatasetItem(**item).input for item in first["items"]] == [{"to": 0}, {"to": 1}]
    assert ([item["id"] for item in second["items"]], second["next"]) == (["2"], None)


def test_former_version_of_a_dataset_keeps_its_items(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_items(store, make_item("1"))
        add_items(store, make_item("2"))
        shown = ask(store, "/api/v1/datasets/trips", version=1).json()
        unknown = ask(store, "/api/v1/datasets/trips", version=9)
    assert ([item["id"] for item in shown["items"]], shown["version"]) == (["1"], 1)
    assert [version["version"] for version in shown["versions"]] == [2, 1]
    assert read_error(unknown)[:2] == (404, "not_found")


def test_unknown_dataset_names_the_nearest(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_items(store, make_item("1"))
        answer = ask(store, "/api/v1/datasets/trip")
    assert read_error(answer)[:2] == (404, "not_found")
    assert answer.json()["near"] == "trips"


def test_experiment_is_read_page_by_page(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiments = Experiments(store.results)
        experiment_id = experiments.begin(make_start(items=2, repeats=1)).experiment_id
        runs = tuple(make_recorded_run(position) for position in range(2))
        experiments.record(ExperimentRuns(experiment_id=experiment_id, runs=runs, is_last=True))
        (entry,) = ask(store, "/api/v1/experiments").json()["experiments"]
        first = ask(store, f"/api/v1/experiments/{experiment_id}", limit=1).json()
        second = ask(store, f"/api/v1/experiments/{experiment_id}", limit=1, after=first["next"]).json()
    assert (entry["experiment_id"], entry["runs"]) == (experiment_id, 2)
    assert first["experiment"] == entry
    assert [page["runs"][0]["item"]["id"] for page in (first, second)] == ["0", "1"]


def test_experiment_is_named_by_its_whole_id(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = Experiments(store.results).begin(make_start()).experiment_id
        answer = ask(store, f"/api/v1/experiments/{experiment_id[:8]}")
    assert read_error(answer)[:2] == (404, "not_found")

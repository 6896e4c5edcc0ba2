"""`tracegrade experiment`: lists, shows and compares experiments. `experiment_run` makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.experiments.comparison import compare_experiments
from tracegrade.evaluators.experiments.trend import measure_trend
from tracegrade.queries.read.experiments import StoredExperiment

from ..client.experiments import list_experiments, read_experiment
from ..client.query import Read
from ..client.source import reading
from ..clock import format_time
from ..errors import Fault
from .console import console, print_json
from .experiment_output import print_comparison, print_failed, print_result, print_trend

__all__ = ["compare", "list_", "show", "trend"]


def list_(*, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    with reading(config, store=store, server=server) as source:
        experiments = list_experiments(source.read)
    if as_json:
        print_json([_build_json(experiment) for experiment in experiments])
    elif experiments:
        console().print(_build_table(experiments))
    else:
        console().print("there are no experiments; `tracegrade experiment run` makes one")
    return 0


def show(*, experiment: str, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    with reading(config, store=store, server=server) as source:
        result = read_experiment(source.read, experiment)
    print_result(result, as_json=as_json)
    if not as_json:
        print_failed(result)
    return 0


def compare(
    *, before: str, after: str, as_json: bool, store: str | None, config: Path | None, server: str | None
) -> int:
    with reading(config, store=store, server=server) as source:
        comparison = compare_experiments(read_experiment(source.read, before), read_experiment(source.read, after))
    print_comparison(comparison, as_json=as_json)
    return 0


def trend(
    *,
    experiments: Sequence[str],
    dataset: str | None,
    last: int,
    as_json: bool,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    with reading(config, store=store, server=server) as source:
        ids = list(experiments) or _find_newest(source.read, dataset, last)
        results = [read_experiment(source.read, each) for each in ids]
    print_trend(measure_trend(results), as_json=as_json)
    return 0


def _find_newest(read: Read, dataset: str | None, last: int) -> list[str]:
    """Return the ids of the newest experiments that ended, the oldest first. Raises Fault for fewer than two."""
    ended = [each for each in list_experiments(read, dataset=dataset) if each.ended_at is not None][:last]
    if len(ended) < 2:
        where = "" if dataset is None else f" on the dataset {dataset!r}"
        raise Fault(f"a trend needs two experiments that ended; there is {len(ended) or 'none'}{where}")
    return [each.experiment_id for each in reversed(ended)]


def _build_table(experiments: Sequence[StoredExperiment]) -> Table:
    numbers = [Column(name, justify="right") for name in ("items", "repeats", "runs", "errors")]
    table = Table("experiment", "id", "dataset", *numbers, "started (UTC)", "", box=None, pad_edge=False)
    for each in experiments:
        dataset = "" if each.dataset is None else f"{each.dataset}@{each.dataset_version}"
        counts = (f"{number:,}" for number in (each.items, each.repeats, each.runs, each.errors))
        state = "" if each.ended_at else "not ended"
        table.add_row(
            Text(each.name, "bold"),
            each.experiment_id[:8],
            Text(dataset),
            *counts,
            format_time(each.started_at),
            Text(state, "yellow"),
        )
    return table


def _build_json(experiment: StoredExperiment) -> dict[str, object]:
    return {**asdict(experiment), "evaluators": [form.model_dump() for form in experiment.evaluators]}

"""`tracegrade experiment`: runs an agent on a dataset and keeps the evaluated runs; shows and compares experiments."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.experiments.comparison import compare_experiments
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.experiments.trend import measure_trend
from tracegrade.queries.read.experiments import StoredExperiment

from ..client.experiments import list_experiments, read_experiment
from ..client.query import Read
from ..client.settings import load_settings
from ..client.source import reading
from ..clock import format_time, utc_now
from ..errors import Fault
from ..experiments.gate_file import Gate, build_gate
from ..experiments.gate_report import GateReport, make_report
from ..experiments.store import open_experiment_store
from ..system.user_name import read_user_name
from .console import console, print_json
from .experiment_output import print_comparison, print_failed, print_result, print_trend
from .experiment_request import AgentOptions, ExperimentRequest
from .gate_output import EXIT_CODES, GateOutput, show_report

__all__ = ["compare", "list_", "run", "show", "trend"]

_NOTHING_EVALUATED: Final = 3


def run(
    *,
    name: str,
    dataset: str | None,
    task: str | None,
    command: str | None,
    url: str | None,
    receives_at: str | None,
    model: str | None,
    runs: str | None,
    evaluators: Sequence[str],
    repeats: int,
    concurrency: int,
    timeout_s: float,
    split: str | None,
    tags: Sequence[str],
    is_new: bool,
    author: str | None,
    gate: Path | None,
    junit: Path | None,
    markdown: Path | None,
    github: bool,
    as_json: bool,
    store: str | None,
    config: Path | None,
) -> int:
    output = GateOutput(junit=junit, markdown=markdown, github=github)
    checks = _read_gate(gate, output)
    request = ExperimentRequest(
        name=name,
        settings=load_settings(config, store=store),
        agent=AgentOptions(task=task, command=command, url=url, receives_at=receives_at, model=model, runs=runs),
        dataset=dataset,
        split=split,
        tags=tags,
        evaluators=evaluators,
        options={
            "repeats": repeats,
            "concurrency": concurrency,
            "timeout_s": timeout_s,
            "is_new": is_new,
            "author": author or read_user_name(),
        },
    )
    request.check()
    result, report = asyncio.run(_run(request, checks))
    print_result(result, as_json=as_json)
    return _conclude(result, report, output)


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


def _read_gate(file: Path | None, output: GateOutput) -> Gate | None:
    """Read the gate that is named. Raises Fault and BadConfiguration."""
    if file is not None:
        return build_gate(file, {})
    if output != GateOutput():
        raise Fault("--junit, --markdown and --github are reports of a gate: name its FILE with --gate")
    return None


async def _run(request: ExperimentRequest, gate: Gate | None) -> tuple[ExperimentResult, GateReport | None]:
    """Run the experiment, and check its scores against a gate."""
    async with open_experiment_store(request.settings) as store:
        experiment = await asyncio.to_thread(request.make_experiment, store.read)
        result = await experiment.arun(store=store, isolates_task=True)
        if gate is None:
            return result, None
        of_this = gate.model_copy(update={"experiment": result.experiment_id})
        return result, await asyncio.to_thread(make_report, store.read, of_this, now=utc_now())


def _conclude(result: ExperimentResult, report: GateReport | None, output: GateOutput) -> int:
    """Print and write the report of the gate; return the exit code."""
    if report is None:
        return 0 if any(run.scores for run in result.runs) else _NOTHING_EVALUATED
    show_report(report)
    output.write(report)
    return EXIT_CODES[report.result.status]

"""`tracegrade experiment run`: runs an agent on a dataset, evaluates its runs, and keeps them in the store."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.evaluators.experiments.result import ExperimentResult

from ..client.query import Read
from ..client.settings import load_settings
from ..clock import utc_now
from ..config.settings import Settings, evaluators_of
from ..errors import Fault
from ..experiments import command_task, http_task, model_task
from ..experiments.dataset_source import is_dataset_file, read_dataset_file, read_stored_dataset
from ..experiments.experiment import Experiment
from ..experiments.gate_file import Gate, build_gate
from ..experiments.gate_report import GateReport, make_report
from ..experiments.store import open_experiment_store
from ..experiments.stored_runs import load_runs
from ..experiments.task_call import Task
from ..experiments.task_function import find_task
from ..preview.draft import resolve_draft
from ..references.rules import References
from ..system.user_name import read_user_name
from .console import complain
from .experiment_output import print_result
from .gate_output import EXIT_CODES, GateOutput, show_report

__all__ = ["run"]

_NOTHING_EVALUATED: Final = 3
_EVALUATED: Final = frozenset({"trace", "tool_call"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What the command line asks for: items and what runs on them, or runs that are stored."""

    name: str
    dataset: str | None
    split: str | None
    tags: Sequence[str]
    agent: Task | None
    runs: str | None
    options: dict[str, Any]

    def make_experiment(self, read: Read, settings: Settings) -> Experiment:
        """Make the experiment; read what it needs from the store. Raises Fault."""
        try:
            if self.agent is not None:
                return Experiment(self.name, self._read_dataset(read), self.agent, **self.options)
            references = References.read(settings.references, sources=settings.trust.references)
            runs = load_runs(read, self.runs or "", references)
            options = {name: self.options[name] for name in ("evaluators", "is_new", "author")}
            return Experiment.of_runs(self.name, runs, **options)
        except (ValueError, TypeError) as error:
            raise Fault(str(error)) from error

    def _read_dataset(self, read: Read) -> Dataset:
        word = self.dataset or ""
        dataset = read_dataset_file(Path(word)) if is_dataset_file(word) else read_stored_dataset(read, word)
        return dataset.select(self.split, self.tags)


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
    split: str | None,
    tags: Sequence[str],
    author: str | None,
    gate: Path | None,
    junit: Path | None,
    markdown: Path | None,
    github: bool,
    as_json: bool,
    store: str | None,
    config: Path | None,
    **options: Any,
) -> int:
    agents = {"--task": task, "--command": command, "--url": url, "--model": model, "--runs": runs}
    _check_combination(agents, dataset=dataset, receives_at=receives_at, url=url)
    if gate is None and (junit or markdown or github):
        raise Fault("--junit, --markdown and --github are reports of a gate: name its FILE with --gate")
    settings = load_settings(config, store=store)
    checks = None if gate is None else build_gate(gate, {})
    chosen = _choose_evaluators(settings, evaluators)
    request = _Request(
        name=name,
        dataset=dataset,
        split=split,
        tags=tags,
        agent=_find_agent(task, command, url, model, receives_at),
        runs=runs,
        options={**options, "evaluators": chosen, "author": author or read_user_name()},
    )
    result, report = asyncio.run(_run(settings, request, checks))
    print_result(result, as_json=as_json)
    if report is None:
        return 0 if any(run.scores for run in result.runs) else _NOTHING_EVALUATED
    show_report(report)
    GateOutput(junit=junit, markdown=markdown, github=github).write(report)
    return EXIT_CODES[report.result.status]


async def _run(settings: Settings, request: _Request, gate: Gate | None) -> tuple[ExperimentResult, GateReport | None]:
    async with open_experiment_store(settings) as store:
        experiment = await asyncio.to_thread(request.make_experiment, store.read, settings)
        result = await experiment.arun(store=store)
        if gate is None:
            return result, None
        of_this = gate.model_copy(update={"experiment": result.experiment_id})
        return result, await asyncio.to_thread(make_report, store.read, of_this, now=utc_now())


def _check_combination(
    agents: dict[str, str | None], *, dataset: str | None, receives_at: str | None, url: str | None
) -> None:
    """Raise Fault unless the options name one agent, and a dataset for it."""
    named = [option for option, value in agents.items() if value is not None]
    if not named:
        raise Fault(f"name what runs the agent: {', '.join(list(agents)[:-1])}; or stored runs with --runs")
    if len(named) > 1:
        raise Fault(f"{' and '.join(named)} exclude each other: an experiment runs one agent")
    if named == ["--runs"] and dataset is not None:
        raise Fault("--runs takes the inputs of the runs as items; leave out --dataset")
    if named != ["--runs"] and dataset is None:
        raise Fault("--dataset names the inputs of the agent: a stored dataset, or a file")
    if receives_at is not None and url is None:
        raise Fault("--receive is for an agent at a --url")


def _find_agent(
    task: str | None, command: str | None, url: str | None, model: str | None, receives_at: str | None
) -> Task | None:
    """Return the task that the options name; None for stored runs."""
    try:
        if task is not None:
            return find_task(task)
        if command is not None:
            return command_task(shlex.split(command))
        if url is not None:
            return http_task(url, receives_at=receives_at)
        return None if model is None else model_task(model)
    except ValueError as error:
        raise Fault(str(error)) from error


def _choose_evaluators(settings: Settings, words: Sequence[str]) -> list[Configured]:
    """Return the evaluators that are named, by default those of the configuration that evaluate runs."""
    if words:
        return [resolve_draft(word, settings).evaluator for word in words]
    every = evaluators_of(settings)
    chosen = [each for each in every if each.scope in _EVALUATED and each.kind != "sql"]
    if left_out := [each.name for each in every if each not in chosen]:
        complain(f"left out, since they do not evaluate single runs: {', '.join(left_out)}")
    return chosen

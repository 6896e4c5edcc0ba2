"""What `tracegrade experiment run` is asked for: items and what runs on them, or runs that are stored."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.evaluators.judges.exchange.judge import Judge

from ..client.query import Read
from ..client.source import require_store
from ..config.settings import Settings, evaluators_of, judges_of
from ..errors import Fault
from ..experiments import command_task, http_task, model_task
from ..experiments.dataset_source import is_dataset_file, read_dataset_file, read_stored_dataset
from ..experiments.experiment import Experiment
from ..experiments.stored_runs import load_runs
from ..experiments.task_call import Task
from ..experiments.task_function import find_task
from ..experiments.usability import find_obstacle
from ..preview.draft import resolve_draft
from ..references.rules import References
from .console import complain

__all__ = ["AgentOptions", "ExperimentRequest"]

_EVALUATED: Final = frozenset({"trace", "tool_call"})
_OF_TASKS: Final = frozenset({"repeats", "concurrency", "timeout_s"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions:
    """The options that name what runs the agent, of which one is given. `runs` are stored runs: no agent runs."""

    task: str | None
    command: str | None
    url: str | None
    receives_at: str | None
    model: str | None
    runs: str | None

    def check(self) -> None:
        """Raise Fault unless exactly one is given."""
        agents = {
            "--task": self.task,
            "--command": self.command,
            "--url": self.url,
            "--model": self.model,
            "--runs": self.runs,
        }
        given = [option for option, value in agents.items() if value is not None]
        if not given:
            raise Fault(f"name what runs the agent: {', '.join(list(agents)[:-1])}; or stored runs with --runs")
        if len(given) > 1:
            raise Fault(f"{' and '.join(given)} exclude each other: an experiment runs one agent")
        if self.receives_at is not None and self.url is None:
            raise Fault("--receive is for an agent at a --url")

    def make_task(self) -> Task:
        """Make the task. Raises Fault."""
        try:
            if self.task is not None:
                return find_task(self.task)
            if self.command is not None:
                return command_task(shlex.split(self.command))
            if self.url is not None:
                return http_task(self.url, receives_at=self.receives_at)
            return model_task(self.model or "")
        except ValueError as error:
            raise Fault(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRequest:
    """An experiment as the command line asks for it. `options` are further arguments of `Experiment`."""

    name: str
    settings: Settings
    agent: AgentOptions
    dataset: str | None
    split: str | None
    tags: Sequence[str]
    evaluators: Sequence[str]
    options: Mapping[str, Any]

    def check(self) -> None:
        """Raise Fault for options that exclude each other, and if a store is needed that does not exist."""
        self.agent.check()
        if self.agent.runs is not None:
            if self.dataset is not None:
                raise Fault("--runs takes the inputs of the runs as items; leave out --dataset")
        elif self.dataset is None:
            raise Fault("--dataset names the inputs of the agent: a stored dataset, or a file")
        if self.dataset is None or not is_dataset_file(self.dataset):
            require_store(self.settings)

    def make_experiment(self, read: Read) -> Experiment:
        """Make the experiment; read what it needs from the store. Raises Fault."""
        evaluators = self._choose_evaluators()
        asked = {evaluator.asks for evaluator in evaluators}
        judges = {name: judge for name, judge in judges_of(self.settings).items() if name in asked}
        try:
            if self.agent.runs is not None:
                references = References.read(self.settings.references, sources=self.settings.trust.references)
                runs = load_runs(read, self.agent.runs, references)
                options = {name: value for name, value in self.options.items() if name not in _OF_TASKS}
                return Experiment.of_runs(self.name, runs, evaluators, judges=judges, **options)
            task, dataset = self.agent.make_task(), self._read_dataset(read)
            return Experiment(self.name, dataset, task, evaluators, judges=judges, **self.options)
        except (ValueError, TypeError) as error:
            raise Fault(str(error)) from error

    def _read_dataset(self, read: Read) -> Dataset:
        word = self.dataset or ""
        dataset = read_dataset_file(Path(word)) if is_dataset_file(word) else read_stored_dataset(read, word)
        return dataset.select(self.split, self.tags)

    def _choose_evaluators(self) -> list[Configured]:
        """Return the evaluators that are named, by default those of the configuration that evaluate single runs."""
        if self.evaluators:
            return [resolve_draft(word, self.settings).evaluator for word in self.evaluators]
        judges = judges_of(self.settings)
        chosen = []
        for evaluator in evaluators_of(self.settings):
            obstacle = _find_obstacle(evaluator, judges)
            if obstacle is None:
                chosen.append(evaluator)
            else:
                complain(f"left out: {obstacle}")
        return chosen


def _find_obstacle(evaluator: Configured, judges: Mapping[str, Judge]) -> str | None:
    if evaluator.scope not in _EVALUATED:
        return f"{evaluator.name} evaluates the scope {evaluator.scope}, not single runs"
    return find_obstacle(evaluator, has_judge=False, judges=judges)

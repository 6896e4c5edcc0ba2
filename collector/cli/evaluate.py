"""`tracegrade evaluate`: evaluates files of other systems as their own commands do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ..errors import Fault
from ..experiments import command_task
from ..experiments.task_call import Task
from ..experiments.task_function import find_task
from ..sources.floeval.config_file import FloevalConfig, read_config
from ..sources.floeval.dataset import AgentDataset
from ..sources.floeval.evaluation import AgentEvaluation
from ..sources.floeval.runner import create_flotorch_runner
from .evaluate_records import evaluate_records
from .evaluate_suite import evaluate_suite_file
from .sample_results import write_results

__all__ = ["evaluate"]

_NOTHING_EVALUATED: Final = 3


def evaluate(
    *,
    suite: Path | None,
    config: Path | None,
    dataset: Path | None,
    agent: bool,  # noqa: ARG001 - there is no other mode
    evaluators: Sequence[str],
    task: str | None,
    command: str | None,
    output: Path | None,
    dump_traces: Path | None,
    include_trace: bool,
) -> int:
    if suite is not None:
        if config is not None or evaluators:
            raise Fault("an eval file of AgentV has evaluators of its own; leave out -c and --evaluator")
        found = _find_task(task, command)
        return evaluate_suite_file(
            suite, dataset, found, output=output, dump_traces=dump_traces, include_trace=include_trace
        )
    if dump_traces is not None or include_trace:
        raise Fault("--dump-traces and --include-trace are for an eval FILE of AgentV")
    if dataset is None:
        raise Fault("name an eval FILE of AgentV, or a dataset with -d and the configuration of Floeval with -c")
    if config is None:
        return evaluate_records(dataset, evaluators, output=output)
    return _evaluate_dataset(config, dataset, _find_task(task, command), output)


def _find_task(task: str | None, command: str | None) -> Task | None:
    """Return the task that the options name, if any. Raises Fault."""
    if task is not None and command is not None:
        raise Fault("--task and --command exclude each other")
    if task is not None:
        return find_task(task)
    return None if command is None else command_task(shlex.split(command))


def _evaluate_dataset(config: Path, dataset: Path, task: Task | None, output: Path | None) -> int:
    """Evaluate a dataset of Floeval with its configuration; return the exit code."""
    settings = read_config(config)
    samples = _read_dataset(dataset)
    try:
        evaluation = AgentEvaluation(
            samples,
            settings.evaluation_config.metrics,
            settings.llm_config,
            default_provider=settings.evaluation_config.default_provider,
            metric_params=settings.evaluation_config.metric_params,
            **_find_agent(settings, samples, task),
        )
    except (ValueError, TypeError) as error:
        raise Fault(f"{config}: {error}") from error
    result = evaluation.run()
    write_results(result, output)
    return 0 if result.summary else _NOTHING_EVALUATED


def _read_dataset(path: Path) -> AgentDataset:
    try:
        return AgentDataset.from_file(path)
    except ValueError as error:
        raise Fault(f"{path}: {error}") from error
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror}") from error


def _find_agent(settings: FloevalConfig, samples: AgentDataset, task: Task | None) -> Mapping[str, Any]:
    """Return what runs the samples without a trace. Raises ValueError if nothing does."""
    if task is not None:
        return {"agent": task}
    if not samples.is_partial:
        return {}
    name = settings.evaluation_config.agent_name
    if name is None:
        raise ValueError(
            "the dataset has samples without a trace: add evaluation_config.agent_name, or name a function with --task"
        )
    return {"agent_runner": create_flotorch_runner(name, llm_config=settings.llm_config)}

"""`tracegrade evaluate`: evaluates a dataset of Floeval with its configuration file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
import orjson
from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.text.messages import shortened
from tracegrade.queries.foreign_text import one_line

from ..errors import Fault
from ..experiments.task_function import find_task
from ..sources.floeval.config_file import FloevalConfig, read_config
from ..sources.floeval.dataset import AgentDataset
from ..sources.floeval.evaluation import AgentEvaluation
from ..sources.floeval.results import AgentEvaluationResult
from ..sources.floeval.runner import create_flotorch_runner
from .console import console

__all__ = ["evaluate"]

_NOTHING_EVALUATED: Final = 3
_SHOWN: Final = 50


def evaluate(*, config: Path, dataset: Path, agent: bool, output: Path | None, task: str | None) -> int:  # noqa: ARG001
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
    _write(result, output)
    return 0 if result.summary else _NOTHING_EVALUATED


def _read_dataset(path: Path) -> AgentDataset:
    try:
        return AgentDataset.from_file(path)
    except ValueError as error:
        raise Fault(f"{path}: {error}") from error
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror}") from error


def _find_agent(settings: FloevalConfig, samples: AgentDataset, task: str | None) -> Mapping[str, Any]:
    """Return what runs the samples without a trace. Raises Fault and ValueError if nothing does."""
    if task is not None:
        return {"agent": find_task(task)}
    if not samples.is_partial:
        return {}
    name = settings.evaluation_config.agent_name
    if name is None:
        raise ValueError(
            "the dataset has samples without a trace: add evaluation_config.agent_name, or name a function with --task"
        )
    return {"agent_runner": create_flotorch_runner(name, llm_config=settings.llm_config)}


def _write(result: AgentEvaluationResult, output: Path | None) -> None:
    if output is None:
        _show(result)
        return
    try:
        output.write_bytes(orjson.dumps(result.to_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    except OSError as error:
        raise Fault(f"{output} cannot be written: {error.strerror}") from error
    click.echo(f"{output}: {len(result.sample_results):,} samples, {_describe(result.summary)}")


def _show(result: AgentEvaluationResult) -> None:
    metrics = list(result.sample_results[0]["metrics"])
    table = Table("question", *(Column(name, justify="right") for name in metrics), box=None, pad_edge=False)
    for row in result.sample_results:
        question = row["user_input"] if isinstance(row["user_input"], str) else orjson.dumps(row["user_input"]).decode()
        scores = (row["metrics"][name]["score"] for name in metrics)
        cells = ("not evaluated" if score is None else f"{score:.3f}" for score in scores)
        table.add_row(Text(shortened(one_line(question), _SHOWN)), *cells)
    console().print(table)
    for row in result.sample_results:
        for name, metric in row["metrics"].items():
            if (why := metric["metadata"].get("error")) is not None:
                console().print(Text(one_line(f"{name}: not evaluated: {why}"), "yellow"), soft_wrap=True)
    click.echo(_describe(result.summary))


def _describe(summary: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {mean:.3f}" for name, mean in summary.items()) or "no metric was evaluated"

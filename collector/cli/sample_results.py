"""Writes results by sample: to a file in Floeval's shape, or as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
import orjson
from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.text.messages import counted, shortened
from tracegrade.queries.foreign_text import one_line

from ..errors import Fault
from ..sources.floeval.results import AgentEvaluationResult
from .console import console

__all__ = ["write_file", "write_results"]

_SHOWN: Final = 50


def write_results(result: AgentEvaluationResult, output: Path | None) -> None:
    """Write the results to the file, or print them. Raises Fault if the file cannot be written."""
    if output is None:
        _show(result)
        return
    write_file(output, orjson.dumps(result.to_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    click.echo(f"{output}: {counted(len(result.sample_results), 'sample')}, {_describe(result.summary)}")


def write_file(path: Path, content: bytes) -> None:
    """Write a file. Raises Fault."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise Fault(f"{path} cannot be written: {error.strerror}") from error


def _show(result: AgentEvaluationResult) -> None:
    metrics = list(result.sample_results[0]["metrics"]) if result.sample_results else []
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
            for warning in metric["metadata"].get("warnings", ()):
                console().print(Text(one_line(f"{name}: {warning}"), "yellow"), soft_wrap=True)
    click.echo(_describe(result.summary))


def _describe(summary: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {mean:.3f}" for name, mean in summary.items()) or "no metric was evaluated"

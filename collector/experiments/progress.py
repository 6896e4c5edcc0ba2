"""Shows the progress of an experiment at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TypeAlias

from tracegrade.evaluators.experiments.experiment_run import ExperimentRun

__all__ = ["OnRun", "show_progress"]

OnRun: TypeAlias = Callable[[ExperimentRun], object]
"""Receives each run as soon as it is evaluated."""


@contextmanager
def show_progress(name: str, total: int, *, is_shown: bool | None) -> Iterator[OnRun]:
    """Show a bar on standard error while the context lasts; yield what advances it.

    `is_shown` None means: if standard error is a terminal. Without rich, which is in `tracegrade[server]`, there is
    none.
    """
    if not (sys.stderr.isatty() if is_shown is None else is_shown) or find_spec("rich") is None:
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - most installations of the plugin have no rich
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    errors = 0
    with Progress(*columns, TextColumn("{task.fields[errors]}"), console=Console(stderr=True)) as progress:
        task = progress.add_task(name, total=total, errors="")

        def advance(run: ExperimentRun) -> None:
            nonlocal errors
            errors += run.status == "error"
            progress.update(task, advance=1, errors=f"{errors} failed" if errors else "")

        yield advance

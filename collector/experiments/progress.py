"""Shows the progress of an experiment at a terminal."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TypeAlias

from tracegrade.evaluators.experiments.experiment_run import ExperimentRun

__all__ = ["OnRun", "refuse_other_listeners", "show_progress", "tell"]

OnRun: TypeAlias = Callable[[ExperimentRun], object]
"""Receives each run as soon as it is evaluated."""


def refuse_other_listeners(on_run: object) -> None:
    """Raise TypeError unless `on_run` is a function that is not async."""
    if not callable(on_run):
        raise TypeError(f"`on_run` is a function that takes a run, and not of type {type(on_run).__name__}")
    if inspect.iscoroutinefunction(on_run):
        raise TypeError("`on_run` is async, but nothing awaits it: give a function that is not")


def tell(on_run: OnRun, run: ExperimentRun) -> None:
    """Call `on_run` with a run. An error becomes a warning: the runs of the others are not lost for it."""
    try:
        on_run(run)
    except Exception as error:  # noqa: BLE001 - code of users may raise anything
        about = f"on_run raised {type(error).__name__} on the item {run.item.id!r}: {error}"
        warnings.warn(about, RuntimeWarning, stacklevel=2)


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

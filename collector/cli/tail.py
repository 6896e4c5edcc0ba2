"""`tracegrade tail`: runs and their verdicts as they come."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from tracegrade.queries.catalog import report
from tracegrade.queries.result import one_line

from .console import console
from .source import Source, reading

__all__ = ["line", "new_runs", "show_line", "tail"]

_POLL_S = 1.0
_INPUT_CHARACTERS = 40
_LEAST_CHARACTERS = 8
_STYLES = {True: "green", False: "red", None: "dim"}


def tail(*, store: str | None, config: Path | None, server: str | None, lines: int, follow: bool) -> int:
    with reading(config, store=store, server=server) as source:
        after_seq = int(source.read(report("newest_run"), parameters={"count": lines}).rows[0][0])
        while True:
            for run in new_runs(source, after_seq):
                show_line(run)
                after_seq = run["assembled_seq"]
            if not follow:
                return 0
            time.sleep(_POLL_S)


def new_runs(source: Source, after_seq: int) -> list[Mapping[str, Any]]:
    """The graded runs behind `after_seq`, in the order they were assembled."""
    result = source.read(report("recent_runs"), parameters={"after_seq": after_seq, "limit": 500})
    names = [column.name for column in result.columns]
    return [dict(zip(names, row, strict=True)) for row in result.rows]


def show_line(run: Mapping[str, Any]) -> None:
    """Prints one run: cut to the width of a terminal, whole into a pipe."""
    width = console.width if console.is_terminal else None
    console.print(line(run, width=width), no_wrap=True, overflow="ellipsis" if width else None)


def line(run: Mapping[str, Any], *, width: int | None = None) -> Text:
    """One run: when, who, what was asked, how many calls, and each verdict.

    Where `width` is too small for all of it, the question is the first to give way.
    """
    head = Text.assemble(
        (f"{run['started_at']:%H:%M:%S} ", "dim"),
        (f"{run['trace_id'][:8]} ", "dim"),
        f"{one_line(run['agent_name'] or run['service_name'] or '?')[:16]:<16} ",
    )
    rest = Text(f" {run['tool_call_count']:>2} calls ")
    for verdict in run["verdicts"]:
        rest.append(" " + _short(verdict), style=_STYLES[verdict["passed"]])
    if run["completeness"] != "complete":
        rest.append("  (partial)", style="yellow")
    left = _INPUT_CHARACTERS if width is None else width - head.cell_len - rest.cell_len
    return Text.assemble(head, (_asked(run, max(_LEAST_CHARACTERS, min(left, _INPUT_CHARACTERS))), "italic"), rest)


def _asked(run: Mapping[str, Any], characters: int) -> str:
    return f"{one_line(' '.join((run['input'] or '').split()))[:characters]:<{characters}}"


def _short(verdict: Mapping[str, Any]) -> str:
    name = str(verdict["evaluator"]).removeprefix("tool_").removeprefix("run_")
    match verdict["status"]:
        case "scored" if verdict["value"] is not None:
            return f"{'✓' if verdict['passed'] else '✗'} {name} {verdict['value']:.2f}"
        case "error":
            return f"! {name}"
        case _:
            return f"- {name}"

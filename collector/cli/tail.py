"""`tracegrade tail`: prints runs and their scores as they are evaluated."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from tracegrade.queries.catalog import report
from tracegrade.queries.foreign_text import one_line

from ..client.source import Source, reading
from .console import console

__all__ = ["format_run", "read_new_runs", "show_run", "tail"]

_POLL_S = 1.0
_INPUT_CHARACTERS = 40
_LEAST_CHARACTERS = 8
_MARGIN = 18
"""The indentation of further lines of a run, up to the column of its name."""
_AROUND_NAME = len(" ✓  0.00")
_STYLES = {True: "green", False: "red", None: "dim"}


def tail(*, store: str | None, config: Path | None, server: str | None, lines: int, follow: bool) -> int:
    with reading(config, store=store, server=server) as source:
        after_seq = int(source.read(report("newest_run"), parameters={"count": lines}).rows[0][0])
        while True:
            for run in read_new_runs(source, after_seq):
                show_run(run)
                after_seq = run["assembled_seq"]
            if not follow:
                return 0
            time.sleep(_POLL_S)


def read_new_runs(source: Source, after_seq: int) -> list[Mapping[str, Any]]:
    """Return the evaluated runs after `after_seq`, in the order of assembly."""
    result = source.read(report("recent_runs"), parameters={"after_seq": after_seq, "limit": 500})
    names = [column.name for column in result.columns]
    return [dict(zip(names, row, strict=True)) for row in result.rows]


def show_run(run: Mapping[str, Any]) -> None:
    """Print one run: on a terminal in as many lines as its scores need, in a pipe in one."""
    width = console().width if console().is_terminal else None
    console().print(format_run(run, width=width), overflow=None if width is None else "fold", soft_wrap=width is None)


def format_run(run: Mapping[str, Any], *, width: int | None = None) -> Text:
    """Format one run: time, agent, request, number of calls, and each score.

    If `width` is too small, the request is shortened first, then scores continue on further lines. Scores are never
    cut, except for a name that is longer than a line.
    """
    head = Text.assemble(
        (f"{run['started_at']:%H:%M:%S} ", "dim"),
        (f"{run['trace_id'][:8]} ", "dim"),
        f"{one_line(run['agent_name'] or run['service_name'] or '?')[:16]:<16} ",
    )
    count = f" {run['tool_call_count']:>2} {'call ' if run['tool_call_count'] == 1 else 'calls'} "
    room = None if width is None else width - _MARGIN
    scores = [Text(f" {_format_score(score, room)}", style=_STYLES[score["passed"]]) for score in run["scores"]]
    if run["completeness"] != "complete":
        scores.append(Text("  (partial)", style="yellow"))
    used = head.cell_len + len(count) + sum(score.cell_len for score in scores)
    left = _INPUT_CHARACTERS if width is None else width - used
    if left < _LEAST_CHARACTERS:  # the scores need further lines in any case, so the request may fill this one
        left = (width or 0) - head.cell_len - len(count)
    characters = max(_LEAST_CHARACTERS, min(left, _INPUT_CHARACTERS))
    line = Text.assemble(head, (_format_input(run, characters), "italic"), count)
    return _append_scores(line, scores, width)


def _append_scores(line: Text, scores: Sequence[Text], width: int | None) -> Text:
    """Append the scores to `line`, in lines of `width`."""
    at = line.cell_len
    for score in scores:
        if width is not None and at + score.cell_len > width and at > _MARGIN:
            line.append("\n" + " " * _MARGIN)
            at = _MARGIN
        line.append_text(score)
        at += score.cell_len
    return line


def _format_input(run: Mapping[str, Any], characters: int) -> str:
    return f"{one_line(' '.join((run['input'] or '').split()))[:characters]:<{characters}}"


def _format_score(score: Mapping[str, Any], room: int | None) -> str:
    """Format a score in at most `room` columns, so that a foreign name cannot look like the beginning of a line."""
    name = Text(one_line(str(score["evaluator"]).removeprefix("tool_").removeprefix("run_")))
    if room is not None:
        name.truncate(max(_LEAST_CHARACTERS, room - _AROUND_NAME), overflow="ellipsis")
    match score["status"]:
        case "scored" if score["value"] is not None:
            return f"{'✓' if score['passed'] else '✗'} {name.plain} {score['value']:.2f}"
        case "error":
            return f"! {name.plain}"
        case _:
            return f"- {name.plain}"

"""`tracegrade preview`: evaluates stored runs with an evaluator or a draft of one, and stores no scores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import click
import structlog
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ..client.settings import load_settings
from ..client.source import LocalSource, open_source
from ..clock import parse_time, utc_now
from ..config.settings import Settings
from ..errors import Fault
from ..preview.answers import store_answers
from ..preview.cost import Cost
from ..preview.draft import Draft, resolve_draft
from ..preview.preview import Preview, Previewed
from ..preview.runs import Selection
from ..store.errors import StoreUnavailable
from ..system.log import remove_controls
from .console import console, print_json
from .preview_output import build_json, format_spending, show_cost, show_previewed, show_runs

__all__ = ["preview"]

_NOTHING: Final = 3
_INTERRUPTED: Final = 130
_MOST_ROWS: Final = 1_000_000
_QUERY_S: Final = 60.0
_LONGEST_QUERY_S: Final = 300.0


def preview(
    *,
    evaluator: str,
    since: str,
    where: str | None,
    experiment: str | None,
    limit: int,
    yes: bool,
    as_json: bool,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    structlog.configure(
        processors=[remove_controls, *structlog.get_config()["processors"]],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    settings = load_settings(config, store=store)
    draft = resolve_draft(evaluator, settings)
    try:
        selection = Selection(since=parse_time(since, utc_now()), where=where, experiment_id=experiment, limit=limit)
    except ValueError as error:
        raise Fault(f"--since: {error}") from error
    timeout_s = min(max(draft.evaluator.timeout_s or _QUERY_S, _QUERY_S), _LONGEST_QUERY_S)
    reading = open_source(settings, server, max_rows=_MOST_ROWS, timeout_s=timeout_s, read_only=True)
    with ExitStack() as at_end, reading as source:
        run = Preview(source.read, settings, draft.evaluator, selection)
        if isinstance(source, LocalSource):
            at_end.callback(_store_answers, settings, run)  # once it is closed, and also if it is interrupted
        if not run.target_ids:
            raise Fault(_explain_no_targets(run, draft, selection), exit_code=_NOTHING)
        cost = run.estimate_cost()
        if not as_json:
            show_runs(draft, run.chosen, selection, targets=len(run.target_ids))
            if cost is not None:
                show_cost(draft.evaluator.asks or "", cost)
        is_agreed = cost is None or not cost.questions or yes or (not as_json and _confirm(cost))
        previewed = _evaluate(run, is_quiet=as_json) if is_agreed else None
    if as_json:
        print_json(build_json(draft, run, selection, cost, previewed))
    elif previewed is not None:
        show_previewed(draft.evaluator, previewed)
    return 0 if previewed is None or previewed.distribution.scored else _NOTHING


def _store_answers(settings: Settings, run: Preview) -> None:
    try:
        store_answers(settings, run.calls)
    except StoreUnavailable as error:
        sys.stderr.write(f"the answers of the judge were not stored, so that asking again costs again: {error}\n")


def _confirm(cost: Cost) -> bool:
    """Ask the user at the terminal whether to ask the judge; return False without a terminal."""
    if not (sys.stdin.isatty() and console().is_terminal):
        console().print("The judge was not asked; --yes asks it.")
        return False
    return click.confirm(f"Ask {cost.questions:,} questions?", default=False)


def _evaluate(run: Preview, *, is_quiet: bool) -> Previewed:
    try:
        with _show_progress(len(run.target_ids), is_quiet=is_quiet) as on_progress:
            return run.evaluate(on_progress=on_progress)
    except KeyboardInterrupt:
        spending = run.sum_spending()
        answered = "" if spending is None else f"; the judge answered {format_spending(spending)}"
        under_way = "" if spending is None else " (calls in progress may be charged as well)"
        raise Fault(f"interrupted; no score was stored{answered}{under_way}", exit_code=_INTERRUPTED) from None


@contextmanager
def _show_progress(total: int, *, is_quiet: bool) -> Iterator[Callable[[int], object]]:
    columns = (TextColumn("evaluating"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console(), transient=True, disable=is_quiet or not console().is_terminal
    ) as progress:
        task = progress.add_task("evaluating", total=total)
        yield lambda count: progress.advance(task, count)


def _explain_no_targets(run: Preview, draft: Draft, selection: Selection) -> str:
    """Explain why there is nothing to evaluate, and what to change."""
    chosen, began = run.chosen, f"began since {selection.since:%Y-%m-%d %H:%M} UTC"
    if not chosen.matching:
        also = " that match --where" if selection.where else ""
        return f"no run {began}{also}; a longer --since looks further back"
    if chosen.undecided:
        why = next(iter(chosen.undecided.values()))
        return f"the `when` of {draft.evaluator.name!r} fails on {len(chosen.undecided):,} runs: {why}"
    if not chosen.agent_trace_ids:
        return (
            f"the `when` of {draft.evaluator.name!r} selects none of the {chosen.examined:,} newest runs that {began}"
        )
    missing = {"session": "belongs to a session", "tool": "records its offered tools"}
    return f"none of the {len(chosen.agent_trace_ids):,} runs {missing[draft.evaluator.scope]}"

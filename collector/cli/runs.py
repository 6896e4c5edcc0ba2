"""`tracegrade runs`: lists the runs that a filter selects."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import orjson

from tracegrade.queries.filter import FilterError, RunFilter, compile_filter
from tracegrade.queries.foreign_text import one_line
from tracegrade.queries.number_text import format_rows
from tracegrade.queries.read.paging import RowTooLarge
from tracegrade.queries.read.run_keys import RunList, Sort
from tracegrade.queries.read.runs import MOST_CHARACTERS, WHOLE_TEXTS, Page, read_page
from tracegrade.queries.read.source import Sources
from tracegrade.queries.read.window import BEGINNING, Window
from tracegrade.queries.result import Column

from ..client.source import reading
from ..clock import parse_time, utc_now
from ..errors import Fault
from .output import LAID_OUT, print_plain_rows, print_remark

__all__ = ["describe_filter_error", "runs", "summarise"]

_USAGE: Final = 2
_TIMEOUT_S: Final = 60.0
_ID_CHARACTERS: Final = 8
_TEXT_CHARACTERS: Final = 60
_COLUMNS: Final = (
    Column("started_at", "VARCHAR"),
    Column("run", "VARCHAR"),
    Column("agent", "VARCHAR"),
    Column("outcome", "VARCHAR"),
    Column("input", "VARCHAR"),
    Column("first_fault", "VARCHAR"),
    Column("duration_ms", "DOUBLE"),
    Column("cost_usd", "DOUBLE"),
)


def runs(
    *,
    words: Sequence[str],
    since: str | None,
    until: str | None,
    sort: Sort,
    limit: int,
    form: str,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    listed = RunList(run_filter=_read_filter(words), window=_read_window(since, until), sort=sort)
    with reading(config, store=store, server=server, max_rows=limit + 1, timeout_s=_TIMEOUT_S) as source:
        sources = Sources(own=source.read, fenced=source.read)
        try:
            characters = MOST_CHARACTERS if form in LAID_OUT else WHOLE_TEXTS
            page = read_page(listed, sources, limit=limit, most_characters=characters)
        except RowTooLarge as error:
            raise Fault(f"{error}: --format table shows only the beginnings of long texts") from error
    _write(page, form)
    if page.last is not None:
        print_remark(f"only the first {limit:,} are shown: --limit shows more")
    return 0


def describe_filter_error(text: str, error: FilterError) -> str:
    """Return the error with the filter, and a mark below the character at fault."""
    shown = one_line(text[: error.position])
    return f"{error}\n  {one_line(text)}\n  {' ' * len(shown)}^"


def summarise(row: Mapping[str, Any]) -> list[Any]:
    """Return the cells of a run in the table."""
    return [
        f"{row['started_at']:%Y-%m-%d %H:%M:%S}",
        row["agent_trace_id"][:_ID_CHARACTERS],
        row["agent_name"] or row["service_name"],
        row["outcome"],
        _shorten(row["input"]),
        _shorten(_describe_fault(row)),
        row["duration_ms"],
        row["cost_usd"],
    ]


def _read_filter(words: Sequence[str]) -> RunFilter:
    option = next((word for word in words if word.startswith("--")), None)
    if option is not None:
        raise Fault(f"there is no option {option}; `tracegrade runs --help` lists them", exit_code=_USAGE)
    text = " ".join(words)
    try:
        return compile_filter(text)
    except FilterError as error:
        raise Fault(describe_filter_error(text, error), exit_code=_USAGE) from error


def _read_window(since: str | None, until: str | None) -> Window:
    now = utc_now()
    window = Window(
        BEGINNING if since is None else _read_time("--since", since, now),
        now if until is None else _read_time("--until", until, now),
    )
    if window.since >= window.until:
        raise Fault(f"--since has to be before {window.until:%Y-%m-%d %H:%M} UTC", exit_code=_USAGE)
    return window


def _read_time(option: str, text: str, now: datetime) -> datetime:
    try:
        return parse_time(text, now)
    except ValueError as error:
        raise Fault(f"{option}: {error}", exit_code=_USAGE) from error


def _write(page: Page, form: str) -> None:
    if form not in LAID_OUT:
        sys.stdout.buffer.write(_render(page, form))
        return
    names = [column.name for column in _COLUMNS]
    rows = format_rows(names, [summarise(row) for row in page.rows])
    if form == "markdown":
        from tracegrade.queries.markdown import markdown_table  # noqa: PLC0415 - few need it

        sys.stdout.write(markdown_table(_COLUMNS, rows))
    elif rows:
        print_plain_rows(_COLUMNS, rows, expanded=False, remedy="--format json shows all")
    else:
        print_remark("no run matches")


def _render(page: Page, form: str) -> bytes:
    """Return all columns of the runs; in JSON as the API answers them."""
    if form == "csv":
        from tracegrade.queries.formats import FORMATS  # noqa: PLC0415 - it imports the database

        return FORMATS[form].render(page.result)
    from tracegrade.queries.answers.run import Run  # noqa: PLC0415 - a table needs no models

    options = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z
    rows = [orjson.dumps(Run.model_validate(row).model_dump(), option=options) for row in page.rows]
    return b"[%b]\n" % b",".join(rows) if form == "json" else b"".join(row + b"\n" for row in rows)


def _describe_fault(row: Mapping[str, Any]) -> str | None:
    """Return the first fault, behind the tool or evaluator that it is of."""
    about = row["fault_tool"] or row["fault_evaluator"]
    return f"{about}: {row['first_fault']}" if about and row["first_fault"] is not None else row["first_fault"]


def _shorten(text: str | None) -> str | None:
    if text is None:
        return None
    line = " ".join(text[: 10 * _TEXT_CHARACTERS].split())
    return line if len(line) <= _TEXT_CHARACTERS else f"{line[:_TEXT_CHARACTERS]}…"

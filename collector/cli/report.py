"""`tracegrade report`: answers a question about the stored runs, or lists the questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tracegrade.queries.cookbook.errors import ReportError
from tracegrade.queries.cookbook.library import Library
from tracegrade.queries.cookbook.report import Report
from tracegrade.queries.markdown import markdown_table
from tracegrade.queries.number_text import format_rows
from tracegrade.queries.result import plain_rows

from ..client.answer_stream import stream_answer
from ..client.settings import load_settings, select_given
from ..client.source import open_source
from ..clock import utc_now
from ..errors import Fault
from ..reports.cookbook import Answered, answer, ask, open_library
from .console import console, plain, print_json
from .output import LAID_OUT, print_plain_rows, print_remark, write_portions

__all__ = ["report"]

_USAGE = 2


def report(
    *,
    words: Sequence[str],
    since: str | None,
    until: str | None,
    agent: str | None,
    version: str | None,
    environment: str | None,
    form: str,
    expanded: bool,
    timeout: float,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    if expanded and form != "table":
        raise Fault(f"--expanded prints a table; leave out --format {form}", exit_code=_USAGE)
    settings = load_settings(config, store=store)
    name, own = _parse_words(words)
    given = {**select_given(since=since, until=until, agent=agent, version=version, environment=environment), **own}
    if name is None and given:
        raise Fault(f"--{next(iter(given))}: of which report? Without NAME all are listed", exit_code=_USAGE)
    try:
        library = open_library(settings)
        asked = None if name is None else ask(library, name, given, now=utc_now())
    except ReportError as error:
        raise Fault(str(error), exit_code=_USAGE) from error
    if asked is None:
        _list(library, form)
        return 0
    with open_source(settings, server, timeout_s=timeout) as source:
        if form not in LAID_OUT:
            sql, values = asked.report.sql, asked.filled.values
            with stream_answer(source, sql, form, parameters=values, timeout_s=timeout) as stream:
                write_portions(stream.portions)
            return 0
        answered = answer(source.read, asked)
    _print(answered, form, expanded=expanded)
    return 0


def _parse_words(words: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """Split the words behind the command into the name of a report and its own parameters. Raises Fault."""
    names: list[str] = []
    given: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            names.append(word)
            continue
        key, sign, value = word[2:].partition("=")
        value = value if sign else next(rest, "")
        if not value:
            raise Fault(f"--{key} has no value", exit_code=_USAGE)
        given[key.replace("-", "_")] = value
    if len(names) > 1:
        raise Fault(f"one report at a time: {' or '.join(names)}?", exit_code=_USAGE)
    return names[0] if names else None, given


def _list(library: Library, form: str) -> None:
    """Print a line for each report, or their descriptions as JSON. Raises Fault for another format."""
    if form == "json":
        print_json([_describe(report) for report in library.reports.values()])
        return
    if form != "table":
        raise Fault(f"the list of reports is a table or json; --format {form} needs NAME", exit_code=_USAGE)
    width = max(map(len, library.reports))
    for report in library.reports.values():
        console().print(f"[bold]{plain(report.name):<{width}}[/bold]  {plain(report.question)}", soft_wrap=True)
    for fault in library.faults.values():
        print_remark(fault)


def _describe(report: Report) -> dict[str, Any]:
    return {
        "name": report.name,
        "question": report.question,
        "is_own": report.is_own,
        "period": report.period,
        "parameters": {name: report.meaning(name) for name in report.parameters},
    }


def _print(answered: Answered, form: str, *, expanded: bool) -> None:
    result = answered.result
    rows = format_rows([column.name for column in result.columns], list(plain_rows(result)))
    if form == "markdown":
        sys.stdout.write(markdown_table(result.columns, rows))
    else:
        console().print(plain(_head(answered)), style="bold", soft_wrap=True)
        if rows:
            print_plain_rows(result.columns, rows, expanded=expanded, remedy="--expanded shows all")
        else:
            console().print("nothing")
    if result.truncated:
        print_remark(f"only the first {len(rows):,} rows are shown: --format csv writes all")


def _head(answered: Answered) -> str:
    """Return the question, with the period for which it is answered."""
    since, until = answered.filled.since, answered.filled.until
    period = f" ({since:%Y-%m-%d %H:%M} to {until:%Y-%m-%d %H:%M} UTC)" if since and until else ""
    return f"{answered.report.question}{period}"

"""`tracegrade explain`: shows for each evaluator the score on a run, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson
from rich.table import Column, Table
from rich.text import Text

from tracegrade.queries.foreign_text import one_line

from ..client.source import RemoteSource, open_source
from ..clock import told_at
from ..config.api_token import token_of
from ..errors import Fault
from .console import console, plain, print_json

__all__ = ["explain"]

Row: TypeAlias = Mapping[str, Any]
Account: TypeAlias = Mapping[str, Sequence[Row]]
"""What `reports.account` gives, as JSON has it."""

_QUERY_S: Final = 60.0
_NOTHING = 1
_STYLES = {
    "scored": "green",
    "skipped": "dim",
    "error": "red",
    "missing": "red",
    "excluded": "dim",
    "no_reference": "dim",
}


def explain(*, trace: str, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    told = _told(config, store, server, trace.lower())
    if not any(told.values()):
        raise Fault(f"no trace and no run begins with {trace!r}; `tracegrade tail` shows the ids", exit_code=_NOTHING)
    if as_json:
        print_json(told)
        return 0
    for run in told["runs"]:
        _show(run)
    for one in told["without_runs"]:
        console().print(f"trace {one['trace_id']}: {one['spans']} spans, no agent run. {plain(one['because'])}")
    return 0


def _told(config: Path | None, store: str | None, server: str | None, begins: str) -> Account:
    """Ask the server that holds the store, which has its own evaluators and settings; else explain with those of this
    command."""
    if server is not None:
        return _told_by(RemoteSource(server, max_rows=1, timeout_s=_QUERY_S, token=token_of(config)), begins)
    from ..client.settings import load_settings  # noqa: PLC0415 - likewise
    from ..config.settings import evaluators_of  # noqa: PLC0415 - likewise
    from ..reports.account import account_of  # noqa: PLC0415 - with the evaluators, which a server has

    settings = load_settings(config, store=store)
    with open_source(settings, timeout_s=_QUERY_S) as source:
        if isinstance(source, RemoteSource):
            return _told_by(source, begins)
        told: Account = orjson.loads(orjson.dumps(account_of(source.read, settings, evaluators_of(settings), begins)))
        return told


def _told_by(server: RemoteSource, begins: str) -> Account:
    told: Account = server.post("/api/v1/explain", {"id": begins}).json()
    return told


def _show(run: Row) -> None:
    console().rule(run["agent_trace_id"], align="left")
    name = run["agent_name"] or "an agent without a name"
    gaps = f"; gaps: {', '.join(run['gaps'])}" if run["gaps"] else ""
    console().print(
        f"{plain(name)}: revision {run['revision']}, {run['completeness']}, "
        f"assembled at {told_at(datetime.fromisoformat(run['assembled_at']))}{plain(gaps)}"
    )
    if run["prospect"]:
        console().print(run["prospect"])
    table = Table(Column(no_wrap=True), Column(no_wrap=True), Column(), box=None, pad_edge=False, show_header=False)
    for one in (*run["evaluators"], *run["others"]):
        table.add_row(*_line(one))
    console().print(table)
    console().print()


def _line(one: Row) -> tuple[Text, Text, Text]:
    value = "" if one["value"] is None else f" {one['value']:.2f}"
    label = f" {one['label']}" if one["label"] else ""
    passed = {True: ", passed", False: ", failed", None: ""}[one["passed"]]
    scope, _, name = one["about"].partition(" ")
    is_plain = scope == "run" or (scope == "tool" and name in (one["because"] or ""))
    told = ": ".join(filter(None, ["" if is_plain else one["about"], one["because"]]))
    author = f" ({one['author']})" if one["author"] else ""
    return (
        Text(one_line(one["evaluator"])),
        Text(
            one_line(f"{one['state']}{value}{label}{passed}"),
            style="red" if one["passed"] is False else _STYLES.get(one["state"], "yellow"),
        ),
        Text(one_line(f"{told}{author}")),
    )

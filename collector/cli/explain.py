"""`tracegrade explain`: shows for each evaluator the score on a run, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rich.table import Column, Table
from rich.text import Text

from tracegrade.queries.foreign_text import one_line

from ..client.source import RemoteSource, open_source
from ..clock import format_time
from ..config.api_token import read_token
from ..errors import Fault
from ..reports.read_account import Account, ask_server, read_account
from .console import console, plain, print_json

if TYPE_CHECKING:
    from ..client.query import Read

__all__ = ["explain"]

Row: TypeAlias = Mapping[str, Any]
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
    account = _read_account(config, store, server, trace.lower())
    if as_json:
        print_json(account)
        return 0
    for run in account["runs"]:
        _show(run)
    for row in account["without_runs"]:
        console().print(f"trace {row['trace_id']}: {row['spans']} spans, no agent run. {plain(row['because'])}")
    return 0


def _read_account(config: Path | None, store: str | None, server: str | None, prefix: str) -> Account:
    """Read the account from the server that holds the store, with the server's own evaluators and settings.

    Without a server, build it with those of this command.
    """
    if server is not None:
        remote = RemoteSource(server, max_rows=1, timeout_s=_QUERY_S, token=read_token(config))
        return _require(ask_server(remote, prefix), remote.read, prefix)
    from ..client.settings import load_settings  # noqa: PLC0415 - a server needs only the token

    settings = load_settings(config, store=store)
    with open_source(settings, timeout_s=_QUERY_S) as source:
        return _require(read_account(source, settings, prefix), source.read, prefix)


def _require(account: Account, read: Read, prefix: str) -> Account:
    if any(account.values()):
        return account
    from ..client.runs import explain_missing_run  # noqa: PLC0415 - it needs Arrow, which an answer of a server does not

    raise Fault(explain_missing_run(read, prefix), exit_code=_NOTHING)


def _show(run: Row) -> None:
    console().rule(run["agent_trace_id"], align="left")
    name = run["agent_name"] or "an agent without a name"
    gaps = f"; gaps: {', '.join(run['gaps'])}" if run["gaps"] else ""
    console().print(
        f"{plain(name)}: revision {run['revision']}, {run['completeness']}, "
        f"assembled at {format_time(datetime.fromisoformat(run['assembled_at']))}{plain(gaps)}"
    )
    if run["experiment_id"]:
        console().print(f"part of experiment {plain(run['experiment_id'])}, which passes leave out")
    if run["prospect"]:
        console().print(run["prospect"])
    table = Table(Column(no_wrap=True), Column(no_wrap=True), Column(), box=None, pad_edge=False, show_header=False)
    for explanation in (*run["evaluators"], *run["others"]):
        table.add_row(*_format_row(explanation))
    console().print(table)
    console().print()


def _format_row(explanation: Row) -> tuple[Text, Text, Text]:
    value = "" if explanation["value"] is None else f" {explanation['value']:.2f}"
    label = f" {explanation['label']}" if explanation["label"] else ""
    passed = {True: ", passed", False: ", failed", None: ""}[explanation["passed"]]
    scope, _, name = explanation["about"].partition(" ")
    is_plain = scope == "run" or (scope == "tool" and name in (explanation["because"] or ""))
    reason = ": ".join(filter(None, ["" if is_plain else explanation["about"], explanation["because"]]))
    author = f" ({explanation['author']})" if explanation["author"] else ""
    return (
        Text(one_line(explanation["evaluator"])),
        Text(
            one_line(f"{explanation['state']}{value}{label}{passed}"),
            style="red" if explanation["passed"] is False else _STYLES.get(explanation["state"], "yellow"),
        ),
        Text(one_line(f"{reason}{author}")),
    )

"""`tracegrade doctor --judges`: tests whether each judge answers, and shows the remedy if not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict

import click

from tracegrade.evaluators.judges.backends.check import Checked, check
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.text.messages import counted

from ..errors import Fault
from .console import console, plain, print_json
from .format_usd import format_usd

__all__ = ["check_judges"]

_NOTHING, _FOUND = 3, 1


def check_judges(judges: Mapping[str, Judge], *, server: str | None, as_json: bool) -> int:
    """Ask each judge one small question; return 1 if one fails, else 0. Raises Fault (exit code 3) if there is none.

    The question comes from this process; a `server` that holds the store has its own keys and network.
    """
    if not judges:
        raise Fault("no judge is configured; write `judges: {default: {model: …}}`", exit_code=_NOTHING)
    results = asyncio.run(_check_all(judges))
    if as_json:
        print_json([{"judge": name, **asdict(checked)} for name, checked in results.items()])
    else:
        for name, checked in results.items():
            _print_result(name, judges[name], checked)
    if server is not None:
        click.echo(
            f"tested with the environment of this command; the server at {server} has its own, which only a restart "
            "changes. `tracegrade judges` shows what is deferred there, and why",
            err=as_json,
        )
    return _FOUND if any(checked.faults for checked in results.values()) else 0


async def _check_all(judges: Mapping[str, Judge]) -> dict[str, Checked]:
    return dict(zip(judges, await asyncio.gather(*(check(name, judge) for name, judge in judges.items())), strict=True))


def _print_result(name: str, judge: Judge, checked: Checked) -> None:
    where = f" at {judge.address}" if judge.address and judge.address != judge.called else ""
    if checked.can_be_asked:
        console().print(f"judge {plain(repr(name))} answers: {plain(judge.called)}{plain(where)}")
    for line in (*checked.faults, *checked.notes):
        console().print(plain(line), soft_wrap=True)
    if checked.input_tokens is not None and checked.output_tokens is not None:
        cost = "at an unknown price" if checked.cost_usd is None else format_usd(checked.cost_usd)
        tokens = counted(checked.input_tokens + checked.output_tokens, "token")
        console().print(plain(f"testing judge {name!r} took {tokens}, {cost}, outside of its budgets"), soft_wrap=True)

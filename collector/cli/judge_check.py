"""`tracegrade doctor --judges`: whether each judge can be asked, and who must act where it cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import typer
from rich.markup import escape

from tracegrade.evaluators.judge.check import check
from tracegrade.evaluators.judge.judge import Judge

from ..errors import Fault
from .console import console, print_json

__all__ = ["check_judges"]

_NOTHING, _FOUND = 3, 1


def check_judges(judges: Mapping[str, Judge], *, server: str | None, as_json: bool) -> int:
    """Asks each judge one small question. Exit code 1 where something is wrong, 3 where there is no judge.

    It is asked from here; where a `server` holds the store, that one asks with keys and a network of its own.
    """
    if not judges:
        raise Fault("no judge is configured; write `judges: {default: {model: …}}`", exit_code=_NOTHING)
    found = asyncio.run(_checked(judges))
    if as_json:
        told = [{"judge": name, "faults": faults} for name, faults in found.items()]
        print_json(told)
    else:
        for name, faults in found.items():
            _tell(name, judges[name], faults)
    if server is not None:
        typer.echo(
            f"looked at from here, with the environment of this command: the server at {server} has its own, which "
            "only a restart changes; `tracegrade judges` tells what waits there, and why",
            err=as_json,
        )
    return _FOUND if any(found.values()) else 0


async def _checked(judges: Mapping[str, Judge]) -> dict[str, list[str]]:
    return dict(zip(judges, await asyncio.gather(*(check(*one) for one in judges.items())), strict=True))


def _tell(name: str, judge: Judge, faults: list[str]) -> None:
    where = f" at {judge.address}" if judge.address and judge.address != judge.called else ""
    if not faults:
        console.print(f"judge {escape(repr(name))} can be asked: {escape(judge.called)}{escape(where)}")
    for fault in faults:
        console.print(escape(fault), soft_wrap=True)

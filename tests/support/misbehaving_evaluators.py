"""Evaluators that misbehave, for a worker process that can import this module."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import Any

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.model import AgentTrace

__all__ = ["Deed", "deed", "does", "pid_of"]


class Deed(StrEnum):
    """What an evaluator does instead of returning a score."""

    ALTER = "alter what it was given"
    CATCH_ALL = "wait, whatever is raised"
    CHANGE_PLACES = "change directory and environment"
    CLOSE = "close what it stands on"
    DIE = "be killed as often as there are files in the folder that the input names"
    EAT = "take memory"
    EXIT = "end the process"
    FORK = "go on as two"
    GO_OUT = "raise what no except clause expects"
    HANG = "wait for ever"
    HOARD = "take memory and keep it"
    HOLD = "never come back to Python"
    LEAVE_CHILD = "leave a process behind and tell its pid"
    LEAVE = "call sys.exit"
    PRINT = "print"
    RAISE = "raise"
    TELL_PID = "tell pid"
    TELL_PLACES = "tell directory and environment"


def does(deed: Deed, *, to: str | None = None, name: str = "deed", timeout_s: float | None = None) -> Configured:
    """An evaluator that does `deed` on the run of the agent called `to` (default: on every run)."""
    options = {"deed": deed.value, "to": to}
    return build(
        {"python": f"{__name__}:deed", "name": name, "options": options, "timeout_s": timeout_s},
        resolve=import_function,
    )


def pid_of(label: str | None) -> int:
    """The process that a TELL_PID evaluator ran in."""
    assert label is not None
    return int(label)


def deed(trace: AgentTrace, *, deed: Deed, to: str | None = None) -> object:
    """Does it, and passes the runs of others."""
    return True if to not in {None, trace.agent_name} else _DEEDS[deed](trace)


class _Unexpected(BaseException):
    pass


def _alter(trace: AgentTrace) -> object:
    for call in trace.tool_calls:
        (call.args or {}).clear()
    return not any(call.args for call in trace.tool_calls)


def _catch_all(_: AgentTrace) -> object:
    with suppress(BaseException):
        Event().wait()
    return Event().wait()


def _change_places(_: AgentTrace) -> object:
    os.chdir("/")
    os.environ["TRACEGRADE_DEED"] = "done"
    return os.environ.pop("PATH") != ""


def _close(_: AgentTrace) -> object:
    sys.stdin.close()
    with suppress(OSError):
        os.close(0)
        os.close(1)
    return True


def _die(trace: AgentTrace) -> object:
    for death in Path(trace.input or "").iterdir():
        death.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return True


def _fork(_: AgentTrace) -> object:
    return 0.9 if os.fork() == 0 else 0.1


def _leave_child(_: AgentTrace) -> object:
    return str(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid)


def _eat(_: AgentTrace) -> object:
    return len([bytes(2**20) for _ in range(2**20)])


def _hoard(_: AgentTrace) -> object:
    while True:
        _HOARD.append(bytes(2**20))


def _raise(error: BaseException) -> object:
    raise error


def _print(_: AgentTrace) -> object:
    print("a deed")  # noqa: T201 - that is the deed
    return True


_HOARD: list[bytes] = []
_DEEDS: dict[Deed, Callable[[AgentTrace], Any]] = {
    Deed.ALTER: _alter,
    Deed.CATCH_ALL: _catch_all,
    Deed.CHANGE_PLACES: _change_places,
    Deed.CLOSE: _close,
    Deed.DIE: _die,
    Deed.EAT: _eat,
    Deed.FORK: _fork,
    Deed.LEAVE_CHILD: _leave_child,
    Deed.EXIT: lambda _: os._exit(3),
    Deed.GO_OUT: lambda _: _raise(_Unexpected("out")),
    Deed.HANG: lambda _: Event().wait(),
    Deed.HOARD: _hoard,
    Deed.HOLD: lambda _: sum(range(10**12)),
    Deed.LEAVE: lambda _: sys.exit(3),
    Deed.PRINT: _print,
    Deed.RAISE: lambda _: _raise(LookupError("the evaluator's own fault")),
    Deed.TELL_PID: lambda _: str(os.getpid()),
    Deed.TELL_PLACES: lambda _: f"{Path.cwd()} {os.environ.get('TRACEGRADE_DEED')} {'PATH' in os.environ}",
}

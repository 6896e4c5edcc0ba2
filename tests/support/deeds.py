"""Evaluators that misbehave.

A worker process learns of them when an option that is a `Deed` reaches it, if it can import this module.
"""

from __future__ import annotations

import os
from enum import StrEnum
from threading import Event

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.registry import Configured, Options, configure, evaluator

__all__ = ["Deed", "does", "pid_of"]


class Deed(StrEnum):
    """What an evaluator does instead of judging."""

    EXIT = "exit"
    HANG = "hang"
    RAISE = "raise"
    TELL_PID = "tell pid"


@evaluator("deed", version=1, source="these tests")
class _Doer(Options):
    """Does its deed on the run of one agent; passes every other."""

    deed: Deed
    to: str | None = None

    def __call__(self, trace: AgentTrace) -> object:
        if self.to not in {None, trace.agent_name}:
            return True
        match self.deed:
            case Deed.EXIT:
                os._exit(3)
            case Deed.HANG:
                return Event().wait()
            case Deed.RAISE:
                raise LookupError("the evaluator's own fault")
            case Deed.TELL_PID:
                return str(os.getpid())


def does(deed: Deed, *, to: str | None = None, name: str = "deed") -> Configured:
    """An evaluator that does `deed` on the run of the agent called `to` (default: on every run)."""
    return configure("deed", name=name, options={"deed": deed, "to": to})


def pid_of(label: str | None) -> int:
    """The process that a TELL_PID evaluator ran in."""
    assert label is not None
    return int(label)

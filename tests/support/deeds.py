"""Evaluators that misbehave.

They stand in no catalogue: a worker process comes to know them when an option that is a `Deed` reaches it, if it can
import this module.
"""

from __future__ import annotations

import os
from enum import StrEnum
from threading import Event

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.registry import Configured, Options, evaluator

__all__ = ["Deed", "does", "pid_of"]


class Deed(StrEnum):
    """What an evaluator does instead of judging."""

    EXIT = "exit"
    HANG = "hang"
    RAISE = "raise"
    TELL_PID = "tell pid"

    def __reduce_ex__(self, protocol: object) -> tuple[object, tuple[str]]:
        return _arrived, (self.value,)


def does(deed: Deed, *, to: str | None = None, name: str = "deed") -> Configured:
    """An evaluator that does `deed` on the run of the agent called `to` (default: on every run)."""
    options = {"deed": deed, "to": to}
    return Configured(
        name=name,
        type="deed",
        version=1,
        scope="trace",
        threshold=1.0,
        only_with_reference=False,
        judge=_Doer(deed=deed, to=to),
        config_hash="deed",
        options=options,
    )


def pid_of(label: str | None) -> int:
    """The process that a TELL_PID evaluator ran in."""
    assert label is not None
    return int(label)


class _Doer(Options):
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


def _arrived(deed: str) -> Deed:
    evaluator("deed", version=1, source="these tests")(_Doer)
    return Deed(deed)

"""What became of a tool call, as far as that tells how to read its name and its arguments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...model import ToolCall
from ..failure import Failure, FailureRules
from .offered import is_refused

__all__ = ["CallOutcome", "is_told_unknown"]

_FAILURES: Final = FailureRules()


@dataclass(frozen=True)
class CallOutcome:
    """What became of a call, found out when it is asked for: most calls are valid whatever became of them."""

    call: ToolCall

    @cached_property
    def is_refused(self) -> bool:
        """Whether the answer says that there is no such tool."""
        return any(map(is_refused, _answers(self.call)))

    @cached_property
    def has_failed(self) -> bool:
        return self.is_refused or self._failure is not None

    @property
    def has_run(self) -> bool:
        """Whether it ran, or may have."""
        return self.call.status != "not_executed" and not self.is_refused

    @property
    def has_worked(self) -> bool:
        """Whether it ran, and no failure is known."""
        return self.call.status is not None and self.has_run and not self.has_failed

    @property
    def failure(self) -> str:
        """The text that the call failed with, "" where it did not or left none."""
        return "" if self._failure is None else "\n".join(_answers(self.call))

    @cached_property
    def _failure(self) -> Failure | None:
        return _FAILURES.failure_of(self.call)


def is_told_unknown(call: ToolCall) -> bool:
    """Return whether the answer to `call` says that there is no tool of its name."""
    return any(call.name in answer and is_refused(answer) for answer in _answers(call))


def _answers(call: ToolCall) -> list[str]:
    return [answer for answer in (call.error, call.result) if answer]

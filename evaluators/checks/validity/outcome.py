"""What became of a tool call, as far as that tells how to read its name and its arguments."""

from __future__ import annotations

from typing import Final, NamedTuple

from ...model import ToolCall
from ..failure import FailureRules
from .offered import is_refused

__all__ = ["Outcome", "is_told_unknown", "outcome_of"]

_FAILURES: Final = FailureRules()


class Outcome(NamedTuple):
    """`failure` is the text that the call failed with, "" where it did not or left none."""

    has_run: bool
    has_failed: bool
    is_refused: bool
    failure: str

    @property
    def has_worked(self) -> bool:
        """Whether it ran, and no failure is known."""
        return self.has_run and not self.has_failed


def outcome_of(call: ToolCall) -> Outcome:
    has_failed = _FAILURES.failure_of(call) is not None
    answers = _answers(call)
    refused = any(map(is_refused, answers))
    return Outcome(
        has_run=call.status != "not_executed" and not refused,
        has_failed=has_failed or refused,
        is_refused=refused,
        failure="\n".join(answers) if has_failed else "",
    )


def is_told_unknown(call: ToolCall) -> bool:
    """Whether the answer to `call` says that there is no tool of its name."""
    return any(call.name in answer and is_refused(answer) for answer in _answers(call))


def _answers(call: ToolCall) -> list[str]:
    return [answer for answer in (call.error, call.result) if answer]

"""What a page says after a form has changed something: `done=good:3` in its URL, the action and its numbers or ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ..ports import BackfillSummary

__all__ = ["DONE", "LABEL", "describe_request", "read_confirmation", "read_label", "write_confirmation"]

DONE: Final = "done"
"""The parameter of the URL. Links on the page leave it out."""

LABEL: Final = "label"
"""The action that stored a label: the page that names its score offers to take it back."""

_VALUE: Final = re.compile(r"([a-z]+)((?::(?:0|[1-9]\d{0,12}))*)")


@dataclass(frozen=True, slots=True)
class _Message:
    """What is said after an action, from so many numbers."""

    numbers: int
    write: Callable[..., str]


def write_confirmation(action: str, *details: object) -> str:
    """Return the value of the parameter after an action, with its numbers or ids."""
    return ":".join([action, *map(str, details)])


def describe_request(summary: BackfillSummary) -> tuple[int, ...]:
    """Return the numbers of a request for scores: those requested, those requested before that do not exist yet, and
    those of the requested that wait for an evaluator that is paused, or for a schedule."""
    requested = summary.requested
    before = sum(summary.requested_before.get(name, 0) for name in requested)
    paused = sum(requested.get(name, 0) for name in summary.paused)
    scheduled = sum(requested.get(name, 0) for name in summary.scheduled if name not in summary.paused)
    return sum(requested.values()), before, paused, scheduled


def read_confirmation(value: str | None) -> str | None:
    """Return what was done, in words; None for a value that is none of ours."""
    match = _VALUE.fullmatch(value or "")
    message = None if match is None else _MESSAGES.get(match[1])
    if match is None or message is None:
        return None
    numbers = [int(number) for number in match[2].split(":")[1:]]
    return message.write(*numbers) if len(numbers) == message.numbers else None


def read_label(value: str | None) -> tuple[str, str] | None:
    """Return the ids of the score and of the target of the label that was stored; None if none was."""
    action, _, label = (value or "").partition(":")
    score_id, _, target_id = label.partition(":")
    return (score_id, target_id) if action == LABEL and score_id and target_id else None


def _of_runs(text: str) -> _Message:
    return _Message(1, lambda count: f"{_count(count, 'run')} {text}")


def _always(text: str) -> _Message:
    return _Message(0, lambda: text)


def _write_request(requested: int, before: int, paused: int, scheduled: int) -> str:
    if requested:
        sentences = [f"{_count(requested, 'score')} requested: they follow after what arrives."]
    else:
        sentences = ["No score was requested."]
    if before:
        sentences.append(f"{_count(before, 'score')} had been requested before and still {_wait(before)}.")
    if paused:
        sentences.append(f"{_count(paused, 'score')} {_wait(paused)} until the evaluator is resumed.")
    if scheduled:
        sentences.append(f"{_count(scheduled, 'score')} {_wait(scheduled)} for the schedule of the evaluator.")
    return " ".join(sentences)


def _write_request_of_runs(runs: int, *numbers: int) -> str:
    return f"Of {_count(runs, 'selected run')}: {_write_request(*numbers)}"


def _wait(number: int) -> str:
    return "waits" if number == 1 else "wait"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


_MESSAGES: Final[Mapping[str, _Message]] = {
    "good": _of_runs("labelled good by you."),
    "bad": _of_runs("labelled bad by you."),
    "comment": _of_runs("commented by you."),
    "evaluate": _Message(5, _write_request_of_runs),
    "backfill": _Message(4, _write_request),
    "removed": _always("The label was removed."),
    "paused": _always("Paused: what arrives is queued until it is resumed."),
    "resumed": _always("Resumed: it evaluates what is queued, then what arrives."),
}

"""The findings of AgentV's modes, in its wording, and the score of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ...model import ExpectedCall, ToolCall

__all__ = ["NO_TRACE", "Grade", "Step", "in_short", "with_durations", "without_durations"]


class Step(NamedTuple):
    """An expected call, the call that fulfils it (None without one), and the text about the two."""

    wanted: ExpectedCall
    made: ToolCall | None
    text: str


class Grade(NamedTuple):
    """The findings, in AgentV's words, and the score: `met` of `aspects`, or 1 without aspects."""

    hits: Sequence[str]
    misses: Sequence[str]
    met: int
    aspects: int
    warnings: Sequence[str] = ()
    is_failed: bool = False


NO_TRACE: Final = Grade([], ["No trace available for evaluation"], met=0, aspects=1)
_NOTHING_EXPECTED: Final = Grade(["No tool sequence specified"], [], met=0, aspects=0)


def without_durations(steps: Sequence[Step]) -> Grade:
    if not steps:
        return _NOTHING_EXPECTED
    hits = [step.text for step in steps if step.made]
    return Grade(hits, [step.text for step in steps if not step.made], met=len(hits), aspects=len(steps))


def with_durations(steps: Sequence[Step]) -> Grade:
    if not steps:
        return _NOTHING_EXPECTED
    hits: list[str] = []
    misses: list[str] = []
    warnings: list[str] = []
    for step in steps:
        (hits if step.made else misses).append(step.text)
        if step.made:
            _time(step.wanted, step.made, hits=hits, misses=misses, warnings=warnings)
    limits = sum(step.wanted.max_duration_ms is not None for step in steps)
    return Grade(hits, misses, met=len(hits), aspects=len(steps) + limits - len(warnings), warnings=warnings)


def _time(wanted: ExpectedCall, made: ToolCall, *, hits: list[str], misses: list[str], warnings: list[str]) -> None:
    limit_ms, duration_ms = wanted.max_duration_ms, made.duration_ms
    if limit_ms is None:
        return
    if duration_ms is None:
        warnings.append(f"No duration data for {wanted.name}; latency assertion skipped")
    elif duration_ms <= limit_ms:
        hits.append(f"{wanted.name} completed in {duration_ms:.15g}ms (max: {limit_ms:.15g}ms)")
    else:
        misses.append(f"{wanted.name} took {duration_ms:.15g}ms (max: {limit_ms:.15g}ms)")


def in_short(texts: Sequence[str], most: int = 3) -> str:
    shown = "; ".join(texts[:most])
    return f"{shown}; and {len(texts) - most} more" if len(texts) > most else shown

"""Turns what an evaluator returned, or the error that it raised, into score records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from ..model import AgentTrace, Score
from .answer import WrongAnswer, as_score, failure
from .registry import Configured, Options
from .score_record import Effort, ScoreRecord, Target, score_record
from .visible_calls import positions

__all__ = ["conclude", "reference_faults", "reference_fields"]

_REFERENCE: Final = "reference."
_ONE_A_CALL: Final = "in scope tool_call return a list with one answer per call"


def conclude(
    evaluator: Configured,
    target: Target,
    returned: object,
    *,
    scored_at: datetime,
    took: Effort | None = None,
) -> list[ScoreRecord]:
    """Return the records of what an evaluator returned on `target`, or of the error that it raised. Never raises."""
    faults, sources = reference_faults(evaluator, target), _sources(evaluator, target)
    records = [
        score_record(
            evaluator,
            target,
            _with_faults(_with_sources(score, sources), faults),
            scored_at=scored_at,
            took=took,
            tool_call_position=position,
        )
        for position, score in _scores(evaluator, target, returned)
    ]
    uses_reference = not evaluator.reads or bool(reference_fields(evaluator))
    return records if uses_reference else [replace(record, reference_source=None) for record in records]


def reference_fields(evaluator: Configured) -> list[str]:
    """Return the fields of a reference that the evaluator uses, with its options."""
    function, reads = evaluator.function, evaluator.reads
    used = function.used_fields(reads) if isinstance(function, Options) else reads
    return [field.removeprefix(_REFERENCE) for field in used if field.startswith(_REFERENCE)]


def reference_faults(evaluator: Configured, target: Target) -> list[str]:
    """Return what could not be read of those fields of the reference that the evaluator reads.

    An evaluator that declares nothing in `reads` may read all of them.
    """
    if not isinstance(target, AgentTrace) or target.reference is None:
        return []
    wanted = reference_fields(evaluator)
    if evaluator.reads and not wanted:
        return []
    faults = target.reference.faults
    texts = [fault.text for fault in faults if not wanted or fault.field is None or fault.field in wanted]
    return list(dict.fromkeys(texts))


def _sources(evaluator: Configured, target: Target) -> str:
    """Return the sources of the reference fields that the evaluator reads, as `rule:refund+attributes`, or empty."""
    if not isinstance(target, AgentTrace) or target.reference is None:
        return ""
    sources = target.reference.sources
    compared = [field for field in reference_fields(evaluator) if field != "tools" or target.tool_definitions is None]
    return "+".join(dict.fromkeys(sources[field] for field in compared if field in sources))


def _with_sources(score: Score, sources: str) -> Score:
    """Return the score with the sources of its reference in its explanation."""
    if not sources or score.status != "scored":
        return score
    explanation = f"{score.explanation} (according to {sources})" if score.explanation else f"according to {sources}"
    return score.model_copy(update={"explanation": explanation})


def _scores(evaluator: Configured, target: Target, returned: object) -> Iterable[tuple[int | None, Score]]:
    """Return scores, each with the position of its tool call; None if it is about the whole target."""
    if isinstance(returned, BaseException):
        return [(None, failure(returned))]
    try:
        if evaluator.scope == "tool_call":
            return _by_call(returned, positions(evaluator, target))
        return [(None, as_score(returned))]
    except Exception as error:  # noqa: BLE001 - user code may be part of what it returned
        return [(None, failure(error))]


def _by_call(returned: object, positions: Sequence[int]) -> Iterable[tuple[int | None, Score]]:
    """Return one score per call, or one on the whole run if it failed or was skipped. Raises WrongAnswer."""
    if isinstance(returned, (list, tuple)):
        if len(returned) != len(positions):
            raise WrongAnswer(f"it returned {len(returned)} answers for {len(positions)} tool calls; {_ONE_A_CALL}")
        if returned:
            return list(zip(positions, map(as_score, returned), strict=True))
    elif (whole := as_score(returned)).status != "scored":
        return [(None, whole)]
    elif positions:
        raise WrongAnswer(f"it returned one answer for the whole run; {_ONE_A_CALL}")
    return [(None, Score.skip("the run has no tool calls"))]


def _with_faults(score: Score, faults: Sequence[str]) -> Score:
    """Return the score with the faults of the reference in its details and, if it is skipped, in its reason."""
    if not faults:
        return score
    changes: dict[str, Any] = {"details": {**score.details, "reference_faults": list(faults)}}
    if score.status == "skipped":
        changes["reason"] = "; ".join((score.reason or "", *faults))
    return score.model_copy(update=changes)

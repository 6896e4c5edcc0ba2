"""What went wrong first in a run, in a sentence, with the place on the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ...answers.run import RunDetail
from .numbering import Numbering
from .scores import anchor_of_score

__all__ = ["Fault", "find_fault"]

Kind: TypeAlias = Literal["call", "score", "error", "none", "not_scored"]

_CALL: Final = "call"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first fault: where it happened, what it says, and the anchor of its place; without a fault what is known."""

    kind: Kind
    where: str
    text: str | None
    anchor: str | None


def find_fault(run: RunDetail, numbering: Numbering) -> Fault:
    """Return the first fault of a run: as its row says; of a run without an outcome its first failed call, or error."""
    match run.fault:
        case "call":
            call = numbering.find_call(run.fault_agent_trace_id, run.fault_position)
            number = None if call is None else call.position + 1
            where = f"call {number}, {run.fault_tool}" if number else str(run.fault_tool)
            return Fault(_CALL, where, run.first_fault, f"call-{number}" if number else None)
        case "score":
            name = str(run.fault_evaluator)
            score = next((each for each in run.scores or [] if each.evaluator == name and each.passed is False), None)
            return Fault("score", name, run.first_fault, None if score is None else anchor_of_score(score))
        case "error":
            return Fault("error", "the run", run.first_fault, _anchor_of_error(run))
    return _find_unrated(run)


def _find_unrated(run: RunDetail) -> Fault:
    failed = next((call for call in run.tool_calls or [] if call.error is not None), None)
    if run.outcome is None and failed is not None:
        number = failed.position + 1
        return Fault(_CALL, f"call {number}, {failed.name}", failed.error, f"call-{number}")
    if run.outcome is None and run.error is not None:
        return Fault("error", "the run", run.error, _anchor_of_error(run))
    is_passed = run.outcome == "passed" or (run.outcome is None and run.score_count)
    return Fault("none" if is_passed else "not_scored", "", None, None)


def _anchor_of_error(run: RunDetail) -> str:
    failed = next((call for call in run.tool_calls or [] if call.error is not None and call.error == run.error), None)
    return "error" if failed is None else f"call-{failed.position + 1}"

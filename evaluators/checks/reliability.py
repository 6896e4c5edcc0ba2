"""The outcome of each check of a tool definition, and the score over those that ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from ..llm.answer_parsing import REASON, form
from ..model import JsonObject, Score
from ..text.messages import counted, listed

__all__ = ["CheckResult", "checked", "form_of", "rated", "read_judged", "skipped"]


class CheckResult(NamedTuple):
    """How one check went. `why` is the fault of a failed one, the reason of a skipped one."""

    status: Literal["passed", "failed", "skipped"]
    why: str = ""


_PASSED: Final = CheckResult("passed")


def checked(fault: str | None) -> CheckResult:
    """Return the outcome of a check that ran: failed when it found a fault."""
    return _PASSED if fault is None else CheckResult("failed", fault)


def skipped(reason: str) -> CheckResult:
    """Return the outcome of a check that could not run."""
    return CheckResult("skipped", reason)


def form_of(checks: Sequence[str]) -> JsonObject:
    """Return the form of a judge's scores on these checks."""
    return form(**dict.fromkeys(checks, form(reason=REASON, passed={"type": "boolean"})))


def read_judged(scores: Mapping[str, JsonObject]) -> dict[str, CheckResult]:
    """Return the outcome of each check by a judge's scores in that form."""
    return {name: checked(None if score["passed"] else score["reason"]) for name, score in scores.items()}


def rated(tool: str, outcomes: Mapping[str, CheckResult]) -> Score:
    """Return the share of the checks that passed among those that ran; skipped when none ran."""
    faults = {name: outcome.why for name, outcome in outcomes.items() if outcome.status == "failed"}
    reasons = {name: outcome.why for name, outcome in outcomes.items() if outcome.status == "skipped"}
    details: JsonObject = {"checks": {name: outcome.status for name, outcome in outcomes.items()}}
    details |= {key: value for key, value in (("faults", faults), ("skipped", reasons)) if value}
    ran = len(outcomes) - len(reasons)
    if not ran:
        return Score.skip("; ".join(dict.fromkeys(reasons.values())), **details)
    return Score(
        value=(ran - len(faults)) / ran, explanation=f"{tool}: {_explanation(faults, ran=ran)}", details=details
    )


def _explanation(faults: Mapping[str, str], *, ran: int) -> str:
    if not faults:
        return f"passed {counted(ran, 'check')}"
    first = [f"{name} ({fault})" for name, fault in faults.items()]
    return f"failed {len(faults)} of {counted(ran, 'check')}: {listed(first)}"

"""Groups of evaluators by what needs attention. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from ...ports import RunningEvaluator

__all__ = ["BEHIND_S", "GROUPS", "Group", "find_group"]

Group: TypeAlias = Literal["erroring", "behind", "drifting", "healthy", "paused", "not configured"]

BEHIND_S: Final = 300.0
_MANY_ERRORS: Final = 0.05

GROUPS: Final[Mapping[Group, str]] = {
    "erroring": "errors in the last pass or on 5 % of the period, or a judge that cannot be asked",
    "behind": "a run has been waiting for more than 5 minutes, or nothing was evaluated yet",
    "drifting": "the pass rate changed against the period before, and not by chance",
    "healthy": "no errors, nothing late, no change of the pass rate",
    "paused": "targets are queued until they are resumed",
    "not configured": "people, and evaluators that the configuration does not have any more",
}
"""The groups in the order in which they are shown, with what they mean."""


def find_group(running: RunningEvaluator | None, row: Mapping[str, Any] | None, *, is_clear: bool) -> Group:
    """Return the group of an evaluator with its scores of the period; `is_clear`: their pass rate has changed."""
    if running is None:
        return "not configured"
    if running.state == "paused":
        return "paused"
    if running.state == "cannot ask" or _has_errors(running, row):
        return "erroring"
    if running.state == "not enrolled" or _is_behind(running):
        return "behind"
    return "drifting" if is_clear else "healthy"


def _has_errors(running: RunningEvaluator, row: Mapping[str, Any] | None) -> bool:
    if running.last_pass is not None and running.last_pass.errors:
        return True
    if row is None or not row["errors"]:
        return False
    return bool(row["errors"] >= _MANY_ERRORS * (row["scored"] + row["skipped"] + row["errors"]))


def _is_behind(running: RunningEvaluator) -> bool:
    """Return whether new runs wait too long; those of a schedule, and those that were deferred, wait on purpose."""
    progress = running.progress
    return running.schedule is None and progress.new > 0 and (progress.lag_s or 0.0) > BEHIND_S

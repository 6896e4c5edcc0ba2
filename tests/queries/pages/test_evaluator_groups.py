"""Groups of evaluators by what needs attention, and the filters of the bins of their values."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tracegrade.queries.filter import compile_filter
from tracegrade.queries.pages.evaluators.distribution import BINS, write_filter
from tracegrade.queries.pages.evaluators.groups import Group, find_group
from tracegrade.queries.ports import EvaluatorProgress, LastPass, RunningEvaluator

NOW = datetime(2026, 1, 1)  # noqa: DTZ001 - as the store keeps it


def make_running(*, last_errors: int | None = None, **fields: Any) -> RunningEvaluator:
    progress = {"new": 0, "deferred": 0, "backfill": 0, "lag_s": 0.0}
    waiting = {name: fields.pop(name, usual) for name, usual in progress.items()}
    usual: dict[str, Any] = {
        "name": "own",
        "type": "own",
        "kind": "code",
        "version": 1,
        "config_hash": "own",
        "scope": "trace",
        "state": "running",
        "threshold": None,
        "options": {},
        "when": None,
        "sample": 1.0,
        "else_sample": 0.0,
        "schedule": None,
        "next_at": None,
        "after": (),
        "judge": None,
        "usd_per_day": None,
        "tokens_per_day": None,
        "enrolled_at": NOW,
        "paused_at": None,
        "progress": EvaluatorProgress(deferred_reason=None, deferred_until=None, **waiting),
        "last_pass": None if last_errors is None else LastPass(started_at=NOW, due=10, errors=last_errors),
    }
    return RunningEvaluator(**{**usual, **fields})


def make_row(*, scored: int = 100, skipped: int = 0, errors: int = 0) -> dict[str, int]:
    return {"scored": scored, "skipped": skipped, "errors": errors}


@pytest.mark.parametrize(
    ("running", "row", "is_clear", "group"),
    [
        pytest.param(None, make_row(), True, "not configured", id="people"),
        pytest.param(make_running(state="paused", last_errors=3), None, False, "paused", id="paused with errors"),
        pytest.param(make_running(state="cannot ask"), None, False, "erroring", id="its judge is away"),
        pytest.param(make_running(last_errors=1), make_row(), False, "erroring", id="an error in the last pass"),
        pytest.param(make_running(), make_row(scored=95, errors=5), True, "erroring", id="errors on 5 %"),
        pytest.param(make_running(), make_row(scored=96, errors=4), False, "healthy", id="a few errors long ago"),
        pytest.param(make_running(state="not enrolled"), None, False, "behind", id="not begun"),
        pytest.param(make_running(new=1, lag_s=301.0), None, True, "behind", id="late"),
        pytest.param(make_running(new=1, lag_s=299.0), None, False, "healthy", id="soon"),
        pytest.param(make_running(deferred=1, lag_s=9e9), None, False, "healthy", id="deferred on purpose"),
        pytest.param(make_running(new=1, lag_s=9e9, schedule="0 3 * * *"), None, False, "healthy", id="scheduled"),
        pytest.param(make_running(last_errors=0), make_row(), True, "drifting", id="changed"),
    ],
)
def test_group_says_what_needs_attention(
    running: RunningEvaluator | None,
    row: dict[str, int] | None,
    is_clear: bool,  # noqa: FBT001 - pytest passes it by name
    group: Group,
) -> None:
    assert find_group(running, row, is_clear=is_clear) == group


@pytest.mark.parametrize("name", ["polite", "deepeval:bias", 'a "b" <c>'])
@pytest.mark.parametrize("number", range(BINS))
def test_filter_of_every_bin_can_be_read(name: str, number: int) -> None:
    filter_ = compile_filter(write_filter(number, name))
    assert set(filter_.parameters.values()) >= {name}

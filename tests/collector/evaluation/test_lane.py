"""How much the passes of a lane take up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tracegrade.collector.evaluation import lane as lanes
from tracegrade.collector.evaluation.lane import Lane, TargetLimits
from tracegrade.evaluators.passes.run_pass import BATCH, Summary


def limits(monkeypatch: pytest.MonkeyPatch, *took_s: float, **lane: int) -> list[int]:
    """How many targets the passes were given that took so long, with always more to do."""
    clock, given, left = SimpleNamespace(now_s=0.0), [], list(took_s)

    def run_pass(*_: Any, limit: int, **__: Any) -> Summary:
        given.append(limit)
        clock.now_s += left.pop(0)
        return Summary(limit, limit, is_full=True)

    monkeypatch.setattr(lanes, "time", SimpleNamespace(monotonic=lambda: clock.now_s))
    monkeypatch.setattr(lanes, "run_pass", run_pass)
    nobody: Any = SimpleNamespace(release=lambda _: None, last_passes=dict)
    one = Lane([], nobody, nobody, now=lambda: None, limits=TargetLimits(**lane))  # type: ignore[arg-type,return-value]  # no pass looks at it
    for _ in took_s:
        one.evaluate()
    return given


def test_pass_that_took_long_is_followed_by_a_smaller_one_and_a_quick_one_by_a_larger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert limits(monkeypatch, 11, 11, 7, 1, 1, 1) == [BATCH, BATCH // 2, BATCH // 4, BATCH // 4, BATCH // 2, BATCH]


def test_lane_begins_as_carefully_as_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits(monkeypatch, 1, 1, 1, first=20) == [20, 40, 80]


def test_slow_judge_is_still_given_enough_to_be_busy_with(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits(monkeypatch, *[60] * 7, least=16)[-2:] == [16, 16]
    assert limits(monkeypatch, 60, 60, least=2 * BATCH) == [2 * BATCH, 2 * BATCH]

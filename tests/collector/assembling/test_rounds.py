"""The rounds in which a server judges: what goes wrong in one ends none of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tracegrade.collector.server import app
from tracegrade.evaluators.passes.evaluation_pass import Summary


class Lane:
    """Fails once, and then has nothing to do, ever."""

    def __init__(self, *, fails_at: str) -> None:
        self.evaluated = asyncio.Event()
        self.wake: Callable[[], object] = lambda: None
        self._fails_at: str | None = fails_at
        self._loop = asyncio.get_running_loop()

    def next_in_s(self) -> float | None:
        self._fail("next_in_s")
        return None

    def evaluate(self) -> Summary:
        self._fail("evaluate")
        self._loop.call_soon_threadsafe(self.evaluated.set)
        return Summary()

    def _fail(self, where: str) -> None:
        if self._fails_at == where:
            self._fails_at = None
            raise OSError("the disk is full")


@pytest.mark.parametrize("fails_at", ["next_in_s", "evaluate"])
def test_round_that_failed_is_tried_again_though_nothing_arrives(
    monkeypatch: pytest.MonkeyPatch, fails_at: str
) -> None:
    monkeypatch.setattr(app, "_RETRY_S", 0.01)

    async def judged() -> None:
        lane = Lane(fails_at=fails_at)
        staff: Any = SimpleNamespace(lanes=[lane], finish=lambda: None)
        judging = app._Judging(staff, every_s=0.01, on_scores=lambda: None)
        await asyncio.wait_for(lane.evaluated.wait(), 10)
        await judging.end((10, lambda: None))

    asyncio.run(judged())

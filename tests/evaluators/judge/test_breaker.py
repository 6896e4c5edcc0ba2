from __future__ import annotations

from datetime import datetime, timedelta

from tracegrade.evaluators.judge.breaker import Breaker
from tracegrade.evaluators.judge.failure import Unreachable
from tracegrade.evaluators.judge.polls import Polls

NOON = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - UTC, as in the store
AN_HOUR = timedelta(hours=1)


def test_clock_that_is_set_back_keeps_a_breaker_open_no_longer_than_it_was_to_be() -> None:
    breaker = Breaker(5)
    breaker.open(NOON, Unreachable("down"), for_s=30)
    earlier = NOON - AN_HOUR
    until, _ = breaker.open_until(earlier) or (None, None)
    assert until == earlier + timedelta(seconds=30)
    assert breaker.open_until(earlier + timedelta(seconds=29)) is not None
    assert breaker.open_until(earlier + timedelta(seconds=30)) is None


def test_clock_that_is_set_back_does_not_keep_looks_from_being_counted() -> None:
    polls = Polls()
    assert [polls.count("b", NOON, every_s=30), polls.count("b", NOON - AN_HOUR, every_s=30)] == [1, 2]
    assert polls.count("b", NOON - AN_HOUR + timedelta(seconds=1), every_s=30) == 2

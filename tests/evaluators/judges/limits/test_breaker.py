from __future__ import annotations

from datetime import datetime, timedelta

from tracegrade.evaluators.judges.batch.batch_polling import BatchPolling
from tracegrade.evaluators.judges.exchange.failure import Strange, Unreachable
from tracegrade.evaluators.judges.limits.breaker import Breaker

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


def test_clock_that_is_set_back_does_not_keep_batches_from_being_looked_at() -> None:
    polling, every = BatchPolling(), timedelta(seconds=30)
    times = [NOON, NOON + timedelta(seconds=29), NOON - AN_HOUR, NOON - AN_HOUR + timedelta(seconds=1)]
    assert [polling.is_time(now, every=every) for now in times] == [True, False, True, False]


def test_questions_that_failed_are_told_to_come_later_than_others_until_one_is_answered() -> None:
    breaker = Breaker(5)
    for question in ("a", "b", "c"):
        breaker.failed(NOON, Unreachable("down"), question=question)
    again = NOON + timedelta(seconds=30)
    assert breaker.open_until(again, "d") is None
    assert {(breaker.open_until(again, question) or (None,))[0] for question in "abc"} == {
        again + timedelta(seconds=10)
    }
    breaker.succeeded()
    assert breaker.open_until(again, "a") is None


def test_strange_answers_to_one_question_open_no_breaker_and_reopen_none() -> None:
    breaker = Breaker(5)
    for _ in range(10):
        breaker.failed(NOON, Strange("<html>"), question="a")
    assert breaker.open_until(NOON) is None
    for question in ("b", "c"):
        breaker.failed(NOON, Strange("<html>"), question=question)
    assert breaker.open_until(NOON) is not None
    later = NOON + AN_HOUR
    breaker.failed(later, Strange("<html>"), question="a")
    assert breaker.open_until(later) is None
    breaker.failed(later, Strange("<html>"), question="d")
    assert breaker.open_until(later) is not None

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.judging import Clock, judge

from tracegrade.evaluators.judge.limits import Bucket, Pace


def test_bucket_lets_a_second_of_requests_through_at_once_and_the_rest_in_time() -> None:
    bucket = Bucket(120)
    assert [bucket.take(1, 0.0) for _ in range(4)] == [0, 0, 0.5, 1.0]
    assert bucket.take(1, 10.0) == 0


def test_slow_limit_lets_one_request_through_at_once() -> None:
    bucket = Bucket(6)
    assert [bucket.take(1, 0.0) for _ in range(3)] == [0, 10, 20]


def test_what_is_larger_than_the_bucket_passes_when_it_is_full_and_leaves_a_debt() -> None:
    bucket = Bucket(60)
    assert bucket.take(30, 0.0) == 0
    assert bucket.take(1, 0.0) == 30


def test_what_was_not_used_is_given_back() -> None:
    bucket = Bucket(60)
    bucket.take(30, 0.0)
    bucket.give_back(29)
    assert bucket.take(1, 0.0) == 1


def test_clock_that_is_set_back_holds_nobody_up() -> None:
    bucket = Bucket(60)
    bucket.take(1, 1_000.0)
    assert bucket.take(1, 0.0) == 1
    assert bucket.take(1, 2.0) == 0


@given(st.floats(1, 10_000), st.lists(st.floats(0, 5), min_size=1, max_size=60))
def test_no_minute_sees_more_than_the_limit_and_a_second_of_it(per_minute: float, pauses_s: list[float]) -> None:
    bucket, at_s, starts_s = Bucket(per_minute), 0.0, []
    for pause_s in pauses_s:
        at_s += pause_s
        starts_s.append(at_s + bucket.take(1, at_s))
    most = per_minute + max(1, per_minute / 60) + 1
    assert all(sum(first <= start < first + 60 for start in starts_s) <= most for first in starts_s)


def test_without_limits_nobody_waits() -> None:
    clock = Clock()
    pace = Pace(judge("http://there"), elapsed_s=clock.elapsed_s, sleep=clock.sleep)
    asyncio.run(_turns(pace, 1_000))
    assert clock.slept_s == []


def test_requests_and_tokens_are_both_kept_within_their_limits() -> None:
    clock = Clock()
    limits = judge("http://there", requests_per_minute=600, tokens_per_minute=6_000)
    pace = Pace(limits, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
    asyncio.run(_turns(pace, 11, tokens=100))
    assert clock.passed_s == pytest.approx(10)


def test_while_the_server_wants_to_be_left_alone_nobody_asks() -> None:
    clock = Clock()
    pace = Pace(judge("http://there"), elapsed_s=clock.elapsed_s, sleep=clock.sleep)
    pace.hold(20)
    pace.hold(5)
    asyncio.run(_turns(pace, 1))
    assert clock.passed_s == 20


async def _turns(pace: Pace, count: int, *, tokens: int = 1) -> None:
    for _ in range(count):
        async with pace.turn(tokens):
            pass

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.judge_jobs import Clock, Waking, make_judge

from tracegrade.evaluators.judges.limits.rate_limits import Bucket, RateLimits


@dataclass(frozen=True)
class Called:
    """A call that is expected to take so many tokens, and what it takes."""

    expected: int
    tokens: int
    for_s: float = 1.0


CALLS = st.builds(Called, expected=st.integers(500, 2_000), tokens=st.integers(1, 500), for_s=st.floats(0, 20))


def taken(bucket: Bucket, amount: float, at_s: float) -> float:
    """How long whoever comes at that time has to wait for it."""
    wait_s = bucket.wait_s(amount, at_s)
    bucket.take(amount)
    return wait_s


def test_bucket_lets_a_second_of_requests_through_at_once_and_the_rest_in_time() -> None:
    bucket = Bucket(120)
    assert [taken(bucket, 1, 0.0) for _ in range(4)] == [0, 0, 0.5, 1.0]
    assert taken(bucket, 1, 10.0) == 0


def test_slow_limit_lets_one_request_through_at_once() -> None:
    bucket = Bucket(6)
    assert [taken(bucket, 1, 0.0) for _ in range(3)] == [0, 10, 20]


def test_what_is_larger_than_the_bucket_passes_when_it_is_full_and_leaves_a_debt() -> None:
    bucket = Bucket(60)
    assert taken(bucket, 30, 0.0) == 0
    assert taken(bucket, 1, 0.0) == 30


def test_what_was_not_used_is_given_back() -> None:
    bucket = Bucket(60)
    bucket.take(30)
    bucket.give_back(29)
    assert taken(bucket, 1, 0.0) == 1


def test_clock_that_is_set_back_holds_nobody_up() -> None:
    bucket = Bucket(60)
    taken(bucket, 1, 1_000.0)
    assert taken(bucket, 1, 0.0) == 1
    assert taken(bucket, 1, 2.0) == 0


@given(st.floats(1, 10_000), st.lists(st.floats(0, 5), min_size=1, max_size=60))
def test_no_minute_sees_more_than_the_limit_and_a_second_of_it(per_minute: float, pauses_s: list[float]) -> None:
    bucket, at_s, starts_s = Bucket(per_minute), 0.0, []
    for pause_s in pauses_s:
        at_s += pause_s
        starts_s.append(at_s + taken(bucket, 1, at_s))
    most = per_minute + max(1, per_minute / 60) + 1
    assert all(sum(first <= start < first + 60 for start in starts_s) <= most for first in starts_s)


def test_without_limits_nobody_waits() -> None:
    clock = Clock()
    rate_limits = RateLimits(make_judge("http://there"), elapsed_s=clock.elapsed_s, sleep=clock.sleep)
    asyncio.run(_turns(rate_limits, 1_000))
    assert clock.slept_s == []


def test_requests_and_tokens_are_both_kept_within_their_limits() -> None:
    clock = Clock()
    limits = make_judge("http://there", requests_per_minute=600, tokens_per_minute=6_000)
    rate_limits = RateLimits(limits, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
    asyncio.run(_turns(rate_limits, 11, tokens=100))
    assert clock.passed_s == pytest.approx(10)


def test_while_the_server_wants_to_be_left_alone_nobody_asks() -> None:
    clock = Clock()
    rate_limits = RateLimits(make_judge("http://there"), elapsed_s=clock.elapsed_s, sleep=clock.sleep)
    rate_limits.hold(20)
    rate_limits.hold(5)
    asyncio.run(_turns(rate_limits, 1))
    assert clock.passed_s == 20


def test_whoever_waits_asks_as_soon_as_enough_is_given_back() -> None:
    clock = Waking()
    asyncio.run(_starts_s(clock, [Called(expected=2_414, tokens=110)] * 5, tokens_per_minute=10_000))
    assert clock.passed_s == pytest.approx(5)


def test_nobody_overtakes_whoever_waits_for_more() -> None:
    calls = [Called(expected=100, tokens=100), Called(expected=90, tokens=90), Called(expected=1, tokens=1)]
    starts_s = asyncio.run(_starts_s(Waking(), calls, tokens_per_minute=6_000))
    assert starts_s == pytest.approx([0, 0.9, 0.91])


@settings(max_examples=50)
@given(st.lists(CALLS, min_size=1, max_size=40))
def test_no_minute_sees_more_tokens_than_the_limit_whatever_is_given_back(calls: Sequence[Called]) -> None:
    starts_s = asyncio.run(_starts_s(Waking(), calls, tokens_per_minute=3_000))
    most = 3_000 + 50 + max(call.tokens for call in calls)
    for first_s in starts_s:
        taken = [call.tokens for call, at_s in zip(calls, starts_s, strict=True) if first_s <= at_s < first_s + 60]
        assert sum(taken) <= most


async def _starts_s(clock: Waking, calls: Sequence[Called], *, tokens_per_minute: int) -> Sequence[float]:
    """When each of them begins, all of which come at once."""
    limits = make_judge("http://there", tokens_per_minute=tokens_per_minute)
    rate_limits = RateLimits(limits, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
    starts_s = []

    async def call(one: Called) -> None:
        async with rate_limits.turn(one.expected):
            starts_s.append(clock.passed_s)
            await clock.sleep(one.for_s)
            rate_limits.correct(one.expected - one.tokens)

    await clock.all(*map(call, calls))
    return starts_s


async def _turns(rate_limits: RateLimits, count: int, *, tokens: int = 1) -> None:
    for _ in range(count):
        async with rate_limits.turn(tokens):
            pass

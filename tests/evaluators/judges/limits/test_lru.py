from __future__ import annotations

from tests.support.judge_jobs import Clock, Memory, make_judge

from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.judges.limits.lru import Recent


def test_key_that_was_set_longest_ago_is_forgotten_first() -> None:
    recent: Recent[int] = Recent(most=2)
    recent["a"], recent["b"] = 1, 2
    recent["a"] = 3
    recent["c"] = 4
    assert dict(recent) == {"a": 3, "c": 4}


def test_what_is_remembered_of_batches_and_questions_has_bounds() -> None:
    context = Engine("default", make_judge("http://there"), Memory(), now=Clock().now)._context
    for number in range(100_001):
        context.polls.ask(f"batch_{number}", context.now())
        context.unended[f"hash_{number}"] = 1
    assert len(context.polls._asked) == len(context.unended) == 100_000

from __future__ import annotations

from tests.support.judge_jobs import Clock, Memory, make_judge

from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.judges.limits.bounded_dict import BoundedDict


def test_key_that_was_set_longest_ago_is_forgotten_first() -> None:
    numbers: BoundedDict[int] = BoundedDict(most=2)
    numbers["a"], numbers["b"] = 1, 2
    numbers["a"] = 3
    numbers["c"] = 4
    assert dict(numbers) == {"a": 3, "c": 4}


def test_what_is_remembered_of_batches_and_questions_has_bounds() -> None:
    context = Engine("default", make_judge("http://there"), Memory(), now=Clock().now)._context
    for number in range(100_001):
        context.polling.mark_awaited(f"batch_{number}", context.now())
        context.unended[f"hash_{number}"] = 1
    assert len(context.polling._asked) == len(context.unended) == 100_000

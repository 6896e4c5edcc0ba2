"""The calls of judges that are kept in memory."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tracegrade.evaluators.judges.jobs.calls_in_memory import CallsInMemory
from tracegrade.evaluators.ports import JudgeCall, Spent

MIDNIGHT = datetime(2026, 3, 2)  # noqa: DTZ001 - UTC, as in the store


def call(request_hash: str, **fields: Any) -> JudgeCall:
    """A call that cost 10 input tokens, 2 output tokens and a dollar."""
    usual = {"evaluator": "polite", "target_id": "run", "judge": "default", "model": "m", "status": "ok"}
    cost = {"input_tokens": 10, "output_tokens": 2, "cost_usd": 1.0, "started_at": MIDNIGHT + timedelta(hours=1)}
    return JudgeCall(judge_call_id=request_hash, request_hash=request_hash, **{**usual, **cost, **fields})


def test_only_usable_answers_are_found() -> None:
    calls = CallsInMemory()
    calls.record([call("a"), call("b", status="unusable"), call("c", status="error"), call("d", from_cache=True)])
    assert set(calls.lookup(["a", "b", "c", "d", "e"])) == {"a"}


def test_spending_is_that_of_the_judge_on_the_day_by_evaluator_and_in_total() -> None:
    calls = CallsInMemory()
    calls.record([call("a"), call("b", evaluator="other"), call("c", judge="second")])
    calls.record([call("d", started_at=MIDNIGHT - timedelta(minutes=1)), call("e", cost_usd=None, output_tokens=None)])
    spent = calls.spent("default", MIDNIGHT)
    assert spent == {
        "": Spent(input_tokens=30, output_tokens=4, cost_usd=2.0),
        "polite": Spent(input_tokens=20, output_tokens=2, cost_usd=1.0),
        "other": Spent(input_tokens=10, output_tokens=2, cost_usd=1.0),
    }
    assert calls.spent("third", MIDNIGHT) == {"": Spent()}

"""The answers of judges for a preview: reads those of the store, and keeps new ones only in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from tracegrade.evaluators.ports import JudgeCall, Spent
from tracegrade.queries.catalog import statement

from ..client.query import Read, all_rows
from ..store.engines.arrow import listed
from ..store.ledger.judge_calls import call_of

__all__ = ["PreviewedCalls"]


class PreviewedCalls:
    """Fulfils `worker.client.JudgeCalls`. `calls` has each call of this preview, in the order in which they ended."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._answered: dict[str, JudgeCall] = {}
        self.calls: list[JudgeCall] = []

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """Return the answered calls by request_hash, without pending or unusable ones."""
        answered = {hash_: self._answered[hash_] for hash_ in request_hashes if hash_ in self._answered}
        missing = [hash_ for hash_ in request_hashes if hash_ not in answered]
        if not missing:
            return answered
        rows = all_rows(self._read, statement("cached_judge_calls"), request_hashes=listed(missing))
        return {**answered, **{row["request_hash"]: call_of(row) for row in rows if row["status"] == "ok"}}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Remember the calls until this process ends."""
        self.calls += calls
        self._answered |= {call.request_hash: call for call in calls if call.status == "ok" and not call.from_cache}

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return the spending of the judge since then by evaluator, with this preview; the total is under ""."""
        parameters = {"judge": judge, "since": since.isoformat(), "of_experiments": False}
        rows = all_rows(self._read, statement("judge_spend_by_evaluator"), **parameters)
        spent = {row.pop("evaluator"): Spent(**row) for row in rows}
        for call in self.calls:
            for name in ("", call.evaluator):
                spent[name] = _add(spent.get(name, Spent()), call)
        return spent


def _add(spent: Spent, call: JudgeCall) -> Spent:
    return replace(
        spent,
        input_tokens=spent.input_tokens + (call.input_tokens or 0),
        output_tokens=spent.output_tokens + (call.output_tokens or 0),
        cost_usd=spent.cost_usd + (call.cost_usd or 0.0),
    )

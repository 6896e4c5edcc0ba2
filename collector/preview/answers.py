"""The answers of judges for a preview: reads those of the store, and keeps new ones only in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from tracegrade.evaluators.judges.jobs.calls_in_memory import CallsInMemory, add_spent
from tracegrade.evaluators.ports import JudgeCall, Spent
from tracegrade.queries.catalog import statement

from ..client.query import Read, all_rows
from ..store.engines.arrow import listed
from ..store.ledger.judge_calls import call_of

__all__ = ["PreviewedCalls"]


class PreviewedCalls:
    """Fulfils `worker.client.JudgeCalls`."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._new = CallsInMemory()

    @property
    def calls(self) -> Sequence[JudgeCall]:
        """Each call of this preview, in the order in which they ended."""
        return self._new.calls

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """Return the answered calls by request_hash, without pending or unusable ones."""
        answered = self._new.lookup(request_hashes)
        missing = [hash_ for hash_ in request_hashes if hash_ not in answered]
        if not missing:
            return answered
        rows = all_rows(self._read, statement("cached_judge_calls"), request_hashes=listed(missing))
        return {**answered, **{row["request_hash"]: call_of(row) for row in rows if row["status"] == "ok"}}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Remember the calls until this process ends."""
        self._new.record(calls)

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return the spending of the judge since then by evaluator, with this preview; the total is under ""."""
        parameters = {"judge": judge, "since": since.isoformat(), "of_experiments": False}
        rows = all_rows(self._read, statement("judge_spend_by_evaluator"), **parameters)
        return add_spent({row.pop("evaluator"): Spent(**row) for row in rows}, self._new.spent(judge, since))

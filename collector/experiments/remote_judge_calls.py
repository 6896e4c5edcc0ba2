"""The calls of judges for an experiment that is kept by a running server: their answers and their cost are there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import orjson

from tracegrade.evaluators.ports import JudgeCall, Spent
from tracegrade.queries.catalog import statement
from tracegrade.queries.path_segment import write_segment

from ..client.query import all_rows

if TYPE_CHECKING:
    from ..client.source import RemoteSource

__all__ = ["RemoteJudgeCalls"]

_PORTION_BYTES: Final = 900_000
"""The most bytes of the calls in a request, unless one call alone has more."""


class RemoteJudgeCalls:
    """Fulfils `worker.client.JudgeCalls`. Each method raises Fault if the server does not answer."""

    def __init__(self, server: RemoteSource, experiment_id: str) -> None:
        self._server = server
        self._path = f"/api/v1/experiments/{write_segment(experiment_id)}/judge-calls"

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """Return the answered calls by request_hash."""
        from ..store.engines.arrow import listed  # noqa: PLC0415 - of the server's packages
        from ..store.ledger.judge_calls import call_of  # noqa: PLC0415 - likewise

        if not request_hashes:
            return {}
        asked = {"request_hashes": listed(request_hashes), "of_experiments": True}
        rows = all_rows(self._server.read, statement("cached_judge_calls"), **asked)
        return {row["request_hash"]: call_of(row) for row in rows if row["status"] == "ok"}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Keep calls; the server has committed them when it returns."""
        for portion in _split(calls):
            self._server.post(self._path, {"calls": portion})

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return what experiments have spent on the judge since then, by evaluator; the total is under ""."""
        parameters = {"judge": judge, "since": since.isoformat(), "of_experiments": True, "of_previews": False}
        rows = all_rows(self._server.read, statement("judge_spend_by_evaluator"), **parameters)
        return {row.pop("evaluator"): Spent(**row) for row in rows}


def _split(calls: Sequence[JudgeCall]) -> Iterator[list[Any]]:
    """Yield the calls as JSON values, in portions that fit into a request."""
    portion: list[Any] = []
    size = 0
    for call in calls:
        body = orjson.dumps(call, default=str)
        if portion and size + len(body) > _PORTION_BYTES:
            yield portion
            portion, size = [], 0
        portion.append(orjson.loads(body))
        size += len(body)
    if portion:
        yield portion

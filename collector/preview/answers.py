"""The answers of judges for a preview: those of the store, new ones, and the share of the budget that is left."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.jobs.calls_in_memory import CallsInMemory, add_spent
from tracegrade.evaluators.ports import JudgeCall, Spent
from tracegrade.queries.catalog import statement

from ..client.query import Read, all_rows
from ..config.settings import Settings
from ..store.engines.arrow import listed
from ..store.engines.selection import locate
from ..store.ledger.judge_calls import StoredJudgeCalls, call_of
from ..store.results.writer import Results

__all__ = ["PreviewedCalls", "Record", "store_answers"]

Record: TypeAlias = Callable[[Sequence[JudgeCall]], object]
"""Stores calls; they are committed when it returns."""


def store_answers(settings: Settings, calls: Sequence[JudgeCall]) -> None:
    """Store calls of a preview in a store that nothing has open. Raises StoreUnavailable."""
    if not calls:
        return
    with contextlib.closing(locate(settings.store).open(memory_limit=settings.memory_limit)) as database:
        results = Results(database)
        StoredJudgeCalls(database, results, purpose="preview").record(calls)
        results.close()


class PreviewedCalls:
    """Fulfils `worker.client.JudgeCalls`, for a judge with limits of `limit_preview`.

    New answers are given to `record`, which has stored them when it returns. Without it they are kept in memory.
    """

    def __init__(self, read: Read, record: Record | None = None) -> None:
        self._read = read
        self._store = record
        self._limits: Judge | None = None
        self._new = CallsInMemory()

    def limit_preview(self, judge: Judge) -> Judge:
        """Return the judge with the part of its daily limits that previews may spend. `spent` tells what is left."""
        self._limits = judge
        share, usd, tokens = judge.preview_share, judge.usd_per_day, judge.tokens_per_day
        of_agent = judge.usd_per_day_per_agent
        return judge.model_copy(
            update={
                "usd_per_day": None if usd is None else usd * share,
                "usd_per_day_per_agent": None if of_agent is None else of_agent * share,
                "tokens_per_day": None if tokens is None else int(tokens * share),
            }
        )

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
        asked = {"request_hashes": listed(missing), "of_experiments": False}
        rows = all_rows(self._read, statement("cached_judge_calls"), **asked)
        return {**answered, **{row["request_hash"]: call_of(row) for row in rows if row["status"] == "ok"}}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Store the calls, and remember them until this process ends."""
        if self._store is not None:
            self._store(calls)
        self._new.record(calls)

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return what previews have spent on the judge since then, by evaluator and agent, with this one.

        Under "" is what counts against the share of previews: what previews have spent, or more if production has
        spent so much that less than the share is left.
        """
        of_previews = {"of_experiments": False, "of_previews": True}
        parameters = {"judge": judge, "since": since.isoformat(), **of_previews}
        rows = all_rows(self._read, statement("judge_spend_by_evaluator"), **parameters)
        spent = {row.pop("evaluator"): Spent(**row) for row in rows}
        if self._store is None:
            spent = add_spent(spent, self._new.spent(judge, since), of_previews=True)
        agents = all_rows(self._read, statement("judge_spend_by_agent"), **parameters)
        by_agent = {(row["service_name"], row["agent_name"]): row["cost_usd"] for row in agents}
        return {**spent, "": replace(self._count_share(spent[""]), usd_by_agent=by_agent)}

    def _count_share(self, spent: Spent) -> Spent:
        limits = self._limits
        if limits is None:
            return spent
        of_others = 1 - limits.preview_share
        tokens, usd = spent.preview_tokens, spent.preview_usd
        if limits.tokens_per_day is not None:
            tokens = max(tokens, spent.input_tokens + spent.output_tokens - int(of_others * limits.tokens_per_day))
        if limits.usd_per_day is not None:
            usd = max(usd, spent.cost_usd - of_others * limits.usd_per_day)
        return Spent(input_tokens=tokens, cost_usd=usd)

"""The calls of judges that are kept in memory: their answers, and what they cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from ...ports import JudgeCall, Spent

__all__ = ["CallsInMemory", "add_spent"]


class CallsInMemory:
    """A JudgeCache that lasts as long as the process. `calls` has each call, in the order in which they ended."""

    def __init__(self) -> None:
        self.calls: list[JudgeCall] = []
        self._answered: dict[str, JudgeCall] = {}
        self._spent: dict[tuple[str, date], dict[str, Spent]] = {}

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """Return the answered calls by request_hash, without unusable ones."""
        return {hash_: self._answered[hash_] for hash_ in request_hashes if hash_ in self._answered}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Keep calls."""
        self.calls += calls
        self._answered |= {call.request_hash: call for call in calls if call.status == "ok" and not call.from_cache}
        for call in calls:
            of_day = self._spent.setdefault((call.judge, call.started_at.date()), {})
            for name in ("", call.evaluator):
                of_day[name] = _add(of_day.get(name, Spent()), _cost(call))

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return the spending of the judge since that day (UTC) began, by evaluator; the total is under ""."""
        total: dict[str, Spent] = {"": Spent()}
        for (name, day), of_day in list(self._spent.items()):
            if name == judge and day >= since.date():
                total = add_spent(total, of_day)
        return total


def add_spent(spent: Mapping[str, Spent], more: Mapping[str, Spent], *, of_previews: bool = False) -> dict[str, Spent]:
    """Return the sums by evaluator; pending calls and agents are those of `spent`. `of_previews`: `more` is theirs."""
    sums = {name: _add(spent.get(name, Spent()), cost) for name, cost in more.items()}
    if of_previews:
        sums = {name: _add_preview(total, more[name]) for name, total in sums.items()}
    return {**spent, **sums}


def _add_preview(spent: Spent, cost: Spent) -> Spent:
    return replace(
        spent,
        preview_tokens=spent.preview_tokens + cost.input_tokens + cost.output_tokens,
        preview_usd=spent.preview_usd + cost.cost_usd,
    )


def _cost(call: JudgeCall) -> Spent:
    return Spent(
        input_tokens=call.input_tokens or 0, output_tokens=call.output_tokens or 0, cost_usd=call.cost_usd or 0.0
    )


def _add(spent: Spent, cost: Spent) -> Spent:
    return replace(
        spent,
        input_tokens=spent.input_tokens + cost.input_tokens,
        output_tokens=spent.output_tokens + cost.output_tokens,
        cost_usd=spent.cost_usd + cost.cost_usd,
    )

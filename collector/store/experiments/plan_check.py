"""Checks runs of an experiment against its plan, and against those that are stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tracegrade.queries.ports import RecordedRun, WrongRun

__all__ = ["PlanCheck"]

Pair: TypeAlias = tuple[str, int]
"""An item and the number of its repeat."""


class PlanCheck:
    """Checks the runs of one experiment. `stored` are the rows of `experiment_runs` that they may repeat or contradict.

    An item has one position, one content and at most one run per repeat; a run of the agent is that of one item and
    repeat, by which its scores are found.
    """

    def __init__(self, experiment: Mapping[str, Any], stored: Iterable[Mapping[str, Any]]) -> None:
        self._experiment = experiment
        self._pairs: set[Pair] = set()
        self._places: dict[str, tuple[int, str]] = {}
        self._item_ids: dict[int, str] = {}
        self._pair_of_run: dict[str, Pair] = {}
        for row in stored:
            pair = row["item_id"], row["repeat"]
            self._note(pair, position=row["position"], item_hash=row["item_hash"], run=row["agent_trace_id"])

    def select_stored(self, runs: Iterable[RecordedRun]) -> Sequence[RecordedRun]:
        """Return those runs that are stored, of the same run of the agent. To be called before `select_new`."""
        return [run for run in runs if self._pair_of_run.get(run.agent_trace_id or "") == (run.item.id, run.repeat)]

    def select_new(self, runs: Iterable[RecordedRun]) -> Sequence[RecordedRun]:
        """Return the runs that are not stored. Raises WrongRun if one is not in the plan, or contradicts others."""
        new: list[RecordedRun] = []
        for run in runs:
            pair = run.item.id, run.repeat
            if pair in self._pairs:
                continue
            self._check_plan(run)
            self._check_others(run)
            self._note(pair, position=run.position, item_hash=run.item.hash, run=run.agent_trace_id)
            new.append(run)
        return new

    def _check_plan(self, run: RecordedRun) -> None:
        for what, number, plan in (("position", run.position, "items"), ("repeat", run.repeat, "repeats")):
            if number >= (count := self._experiment[plan]):
                raise WrongRun(
                    f"the item {run.item.id!r} has the {what} {number}, but the experiment has {count} {plan}, "
                    "counted from 0"
                )

    def _check_others(self, run: RecordedRun) -> None:
        item_id = run.item.id
        position, item_hash = self._places.get(item_id, (run.position, run.item.hash))
        if position != run.position:
            raise WrongRun(f"the item {item_id!r} has the position {run.position}, but in another repeat {position}")
        if item_hash != run.item.hash:
            raise WrongRun(f"the item {item_id!r} has another content than in another repeat")
        if (other := self._item_ids.get(position, item_id)) != item_id:
            raise WrongRun(f"the items {other!r} and {item_id!r} have the same position {position}")
        if run.agent_trace_id is not None and (of := self._pair_of_run.get(run.agent_trace_id)) is not None:
            raise WrongRun(
                f"the run {run.agent_trace_id} of the item {item_id!r} is that of repeat {of[1]} of the item {of[0]!r} "
                "already; each repeat has a run of its own"
            )

    def _note(self, pair: Pair, *, position: int, item_hash: str, run: str | None) -> None:
        self._pairs.add(pair)
        self._places[pair[0]] = position, item_hash
        self._item_ids[position] = pair[0]
        if run is not None:
            self._pair_of_run[run] = pair

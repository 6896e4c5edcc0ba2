"""Arranges what tests did as the runs of an experiment: items, and repeats of them. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun, RunStatus
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.formats.expectation import FIELDS
from tracegrade.evaluators.model import AgentTrace
from tracegrade.queries.foreign_text import is_shown_whole

from ..experiments.evaluated_runs import EvaluatedRun
from ..experiments.store import Body
from .observed_test import ObservedRun, ObservedTest

__all__ = ["arrange_runs"]

_LONGEST_ID: Final = 200
_HASH: Final = 12


def arrange_runs(tests: Iterable[ObservedTest]) -> list[EvaluatedRun]:
    """Return the runs of tests in the order of the collection.

    A test is an item: that of the dataset that it is parametrized with, or one with the node id as its id. Further runs
    of a test are items of their own, ` #2` and so on. Several tests of one item, and several attempts at a test, are
    repeats. A run that several tests asserted is that of the first one, with the scores of all.
    """
    drafts = [draft for test in sorted(tests, key=lambda test: test.position) for draft in _draft_runs(test)]
    drafts = _merge_shared(drafts)
    items = _choose_items(drafts)
    repeats: Counter[str] = Counter()
    runs: list[EvaluatedRun] = []
    for draft, item in zip(drafts, items, strict=True):
        runs.append(draft.build(item, repeats[item.id]))
        repeats[item.id] += 1
    return runs


@dataclass(slots=True)
class _Draft:
    """A run before its item is known. `number` counts the runs of its test, from 1."""

    test: ObservedTest
    number: int
    status: RunStatus
    run: AgentTrace | None
    scores: dict[str, ScoreRecord]
    requests: Sequence[Body] | None

    @property
    def given(self) -> DatasetItem | None:
        """The item of a dataset; None if its item is made of the test."""
        return self.test.item if self.number == 1 else None

    @property
    def item_id(self) -> str:
        """The id of its item, unless another one has it."""
        own = self.test.item.id if self.test.item is not None else self.test.node_id
        return _shorten_id(own if self.number == 1 else f"{own} #{self.number}")

    def build(self, item: DatasetItem, repeat: int) -> EvaluatedRun:
        run = ExperimentRun(
            item=item,
            repeat=repeat,
            status=self.status,
            cause=self.test.cause,
            duration_ms=self.test.duration_ms,
            run=self.run,
            scores=tuple(self.scores.values()),
        )
        return EvaluatedRun(run, self.requests)


def _draft_runs(test: ObservedTest) -> Iterator[_Draft]:
    if test.status == "error":
        run = test.runs[0] if len(test.runs) == 1 else None
        requests = () if run is None else _select_requests(test, run)
        yield _Draft(test, 1, "error", None if run is None else run.run, {}, requests)
        return
    for number, run in enumerate(test.runs, 1):
        scores = {score.score_id: score for score in run.scores}
        yield _Draft(test, number, "completed", run.run, scores, _select_requests(test, run))


def _select_requests(test: ObservedTest, observed: ObservedRun) -> Sequence[Body] | None:
    """Return the requests of a test for its first captured run, and none for the others, whose spans these contain."""
    if not observed.is_captured:
        return None
    is_first = observed is next(run for run in test.runs if run.is_captured)
    return test.requests if is_first else ()


def _merge_shared(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Return the drafts, each with a run of its own."""
    owners: dict[str, _Draft] = {}
    kept: list[_Draft] = []
    for draft in sorted(drafts, key=lambda draft: draft.status == "error"):  # stable: those with scores come first
        run_id = None if draft.run is None else draft.run.agent_trace_id
        owner = draft if run_id is None else owners.setdefault(run_id, draft)
        if owner is draft:
            kept.append(draft)
        elif draft.status == "error":
            draft.run, draft.requests = None, ()
            kept.append(draft)
        else:
            owner.scores = {**draft.scores, **owner.scores}
            owner.requests = draft.requests if owner.requests is None else owner.requests
    return sorted(kept, key=lambda draft: (draft.test.position, draft.number))


def _choose_items(drafts: Sequence[_Draft]) -> list[DatasetItem]:
    """Return the item of each draft. Repeats have the same content; an item of another dataset gets another id."""
    made: dict[str, DatasetItem] = {}
    for draft in sorted(drafts, key=_lacks_input):
        if draft.given is None:
            made.setdefault(draft.item_id, _make_item(draft))
    known = dict(made)
    return [
        made[draft.item_id] if draft.given is None else _choose_given(draft.given, draft.test.node_id, known)
        for draft in drafts
    ]


def _choose_given(given: DatasetItem, node_id: str, known: dict[str, DatasetItem]) -> DatasetItem:
    """Return the item of a dataset; under the id of its test, if one of another content has its id."""
    if known.setdefault(given.id, given).hash == given.hash:
        return given
    renamed = given.model_copy(update={"id": _shorten_id(node_id)})
    return known.setdefault(renamed.id, renamed)


def _lacks_input(draft: _Draft) -> bool:
    return draft.run is None or not (draft.run.input or "").strip()


def _make_item(draft: _Draft) -> DatasetItem:
    """Return the item of a test: what its agent was asked, if that is recorded, and what the test expected of it."""
    reference = None if draft.run is None else draft.run.reference
    expected = {} if reference is None else {name: getattr(reference, name) for name in FIELDS}
    question = draft.test.node_id if _lacks_input(draft) or draft.run is None else draft.run.input
    return DatasetItem.model_validate({**expected, "id": draft.item_id, "input": question})


def _shorten_id(text: str) -> str:
    """Return the text as the id of an item: without characters that are not shown, and at most 200 long."""
    shown = text if is_shown_whole(text) else ascii(text)[1:-1]
    if len(shown) <= _LONGEST_ID:
        return shown
    return f"{shown[: _LONGEST_ID - _HASH - 1]} {hashlib.sha256(shown.encode()).hexdigest()[:_HASH]}"

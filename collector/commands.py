"""Every write that the API and the command line ask for: fulfils `queries.ports.Commands` on the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tracegrade.evaluators.hints import hint
from tracegrade.queries.ports import Annotation, Backfill, OrderRefused

from . import telemetry
from .backfill import ask
from .lane import Lane
from .store.annotations import Annotations
from .store.database import Database

__all__ = ["StoreCommands"]


class StoreCommands:
    """Calls `on_verdict`, in the thread of its caller, when there may be something to send on."""

    def __init__(self, annotations: Annotations, lanes: Sequence[Lane], database: Database) -> None:
        self._annotations = annotations
        self._lanes = lanes
        self._database = database
        self.on_verdict: Callable[[], object] = lambda: None

    def annotate(self, annotations: Sequence[Annotation]) -> list[str]:
        score_ids = self._annotations.write(annotations)
        telemetry.annotated.inc(len(score_ids))
        self.on_verdict()
        return score_ids

    def pause(self, evaluator: str) -> None:
        self._lane(evaluator).ledger.pause(evaluator)

    def resume(self, evaluator: str) -> None:
        lane = self._lane(evaluator)
        lane.ledger.resume(evaluator)
        lane.wake()

    def backfill(self, wanted: Backfill) -> Mapping[str, int]:
        asked = ask(self._lanes, self._database, wanted)
        for lane in self._lanes:
            lane.wake()
        return asked

    def _lane(self, evaluator: str) -> Lane:
        by_name = {one.name: lane for lane in self._lanes for one in lane.evaluators}
        if evaluator not in by_name:
            known = hint(evaluator, sorted(by_name))
            raise OrderRefused(f"no evaluator is called {evaluator!r} in the configuration{known}")
        return by_name[evaluator]

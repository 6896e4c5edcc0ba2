"""Every write that the API and the command line ask for: fulfils `queries.ports.Commands` on the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tracegrade.evaluators.text.suggestions import hint
from tracegrade.queries.ports import Annotation, Asked, Backfill, NoSuchEvaluator, OrderRefused, Rebuild, Rebuilding

from ..assembling.rebuild import StoredTraces
from ..evaluation.lane import Lane
from ..metrics import counters
from ..store.engines.database import Database
from ..store.maintenance.checkpoints import Checkpoints
from ..store.maintenance.snapshots import StoreSnapshot
from ..store.results.annotations import Annotations
from .backfill import ask

__all__ = ["StoreCommands"]


class StoreCommands:
    """Calls `on_score`, in the thread of its caller, when there may be something to send on, and `on_rebuild` when
    there are traces to assemble again; a server sets `on_reload`."""

    def __init__(
        self,
        annotations: Annotations,
        lanes: Callable[[], Sequence[Lane]],
        database: Database,
        stored_traces: StoredTraces,
        checkpoints: Checkpoints,
    ) -> None:
        self._annotations = annotations
        self._lanes = lanes
        self._database = database
        self._stored_traces = stored_traces
        self._checkpoints = checkpoints
        self.on_rebuild: Callable[[], object] = lambda: None
        self.on_score: Callable[[], object] = lambda: None
        self.on_reload: Callable[[], list[str]] = _not_served

    def annotate(self, annotations: Sequence[Annotation]) -> list[str]:
        score_ids = self._annotations.write(annotations)
        counters.annotated.inc(len(score_ids))
        self.on_score()
        return score_ids

    def pause(self, evaluator: str) -> None:
        self._lane(evaluator).ledger.pause(evaluator)

    def resume(self, evaluator: str) -> None:
        lane = self._lane(evaluator)
        lane.ledger.resume(evaluator)
        lane.wake()

    def backfill(self, wanted: Backfill) -> Asked:
        asked = ask(self._lanes(), self._database, wanted)
        for lane in self._lanes():
            had_put_off = any(asked.put_off.get(evaluator.name) for evaluator in lane.evaluators)
            (lane.look_again if had_put_off else lane.wake)()
        return asked

    def rebuild(self, wanted: Rebuild) -> Rebuilding:
        rebuilding = self._stored_traces.begin(wanted)
        self.on_rebuild()
        return rebuilding

    def reload(self) -> list[str]:
        return self.on_reload()

    def snapshot(self) -> StoreSnapshot:
        return StoreSnapshot(self._database, self._checkpoints)

    def _lane(self, evaluator: str) -> Lane:
        by_name = {one.name: lane for lane in self._lanes() for one in lane.evaluators}
        if evaluator not in by_name:
            known = hint(evaluator, sorted(by_name))
            raise NoSuchEvaluator(f"no evaluator is called {evaluator!r} in the configuration{known}")
        return by_name[evaluator]


def _not_served() -> list[str]:
    raise OrderRefused("nobody serves here, so there is nothing to reload")

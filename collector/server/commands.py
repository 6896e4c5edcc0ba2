"""The writes that the API and the command line request: implements `queries.ports.Commands` on the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

from tracegrade.evaluators.catalog.source_names import name_hint
from tracegrade.evaluators.judges.budget.price import limit_claim
from tracegrade.queries.ports import (
    Annotation,
    Backfill,
    BackfillSummary,
    CommandRefused,
    DatasetChange,
    DatasetVersion,
    ExperimentJudgeCalls,
    ExperimentProgress,
    ExperimentRuns,
    ExperimentStart,
    NoSuchEvaluator,
    Preview,
    PreviewRequest,
    Rebuild,
    Rebuilding,
)

from ..config.settings import judges_of
from ..evaluation.lane import Lane
from ..metrics import counters
from ..store.engines.readers import InProcess
from ..store.ledger.judge_calls import StoredJudgeCalls
from ..store.maintenance.snapshots import StoreSnapshot
from .backfill import request_backfill
from .pipeline import Pipeline
from .preview import preview_entry

__all__ = ["StoreCommands"]


class StoreCommands:
    """The commands on a pipeline; they wake its loops. `reload` implements the command of that name."""

    def __init__(self, pipeline: Pipeline, *, reload: Callable[[], list[str]] | None = None) -> None:
        self._pipeline = pipeline
        self._reload = reload or _refuse_reload

    def annotate(self, annotations: Sequence[Annotation]) -> list[str]:
        score_ids = self._pipeline.annotations.write(annotations)
        counters.annotated.inc(len(score_ids))
        self._pipeline.scored.set()
        return score_ids

    def remove_annotation(self, score_id: str) -> None:
        self._pipeline.annotations.remove(score_id)

    def change_dataset(self, change: DatasetChange) -> DatasetVersion:
        return self._pipeline.datasets.change(change)

    def begin_experiment(self, start: ExperimentStart) -> ExperimentProgress:
        return self._pipeline.experiments.begin(start)

    def record_experiment_runs(self, runs: ExperimentRuns) -> None:
        self._pipeline.experiments.record(runs)

    def record_judge_calls(self, calls: ExperimentJudgeCalls) -> None:
        pipeline = self._pipeline
        pipeline.experiments.check_exists(calls.experiment_id)
        judges = judges_of(pipeline.lanes.settings)
        stored = StoredJudgeCalls(pipeline.database, pipeline.results, experiment_id=calls.experiment_id)
        stored.record_claims([limit_claim(call, judges.get(call.judge)) for call in calls.calls])

    def pause(self, evaluator: str) -> None:
        self._lane(evaluator).ledger.pause(evaluator)

    def resume(self, evaluator: str) -> None:
        lane = self._lane(evaluator)
        lane.ledger.resume(evaluator)
        lane.woken.set()

    def backfill(self, request: Backfill) -> BackfillSummary:
        summary = request_backfill(self._pipeline.lanes.all, self._pipeline.database, request)
        for lane in self._pipeline.lanes.all:
            had_deferred = any(summary.deferred.get(evaluator.name) for evaluator in lane.evaluators)
            (lane.look_again if had_deferred else lane.woken.set)()
        return summary

    def preview(self, request: PreviewRequest, cancelled: Event) -> Preview:
        pipeline = self._pipeline
        own = InProcess(pipeline.database.connect)
        record = StoredJudgeCalls(pipeline.database, pipeline.results, purpose="preview").record
        settings = pipeline.lanes.settings
        return preview_entry(
            request,
            settings,
            own=own,
            fenced=pipeline,
            schemas=pipeline.results.schemas,
            record=record,
            cancelled=cancelled,
        )

    def rebuild(self, request: Rebuild) -> Rebuilding:
        rebuilding = self._pipeline.stored_traces.begin(request)
        self._pipeline.assembly.woken.set()
        return rebuilding

    def reload(self) -> list[str]:
        return self._reload()

    def snapshot(self) -> StoreSnapshot:
        return StoreSnapshot(self._pipeline.database, self._pipeline.checkpoints)

    def _lane(self, evaluator: str) -> Lane:
        by_name = {configured.name: lane for lane in self._pipeline.lanes.all for configured in lane.evaluators}
        if evaluator not in by_name:
            nearest = name_hint(evaluator, sorted(by_name))
            raise NoSuchEvaluator(f"the configuration has no evaluator named {evaluator!r}{nearest}")
        return by_name[evaluator]


def _refuse_reload() -> list[str]:
    raise CommandRefused("no server runs here, so there is nothing to reload")

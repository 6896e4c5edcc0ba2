"""The commands that the API, the pages and the command line give."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Protocol

from .annotation import Annotation
from .backfill import Backfill, BackfillSummary
from .dataset import DatasetChange, DatasetVersion
from .experiment import ExperimentJudgeCalls, ExperimentProgress, ExperimentRuns, ExperimentStart
from .preview import Preview, PreviewRequest
from .rebuild import Rebuild, Rebuilding
from .snapshot import Snapshot

__all__ = ["Commands"]


class Commands(Protocol):
    """All that the API, the pages or the command line request but for reading. Each blocks, and is thread-safe."""

    def annotate(self, annotations: Sequence[Annotation]) -> Sequence[str]:
        """Store scores, all or none, and return their score_ids in order.

        The same annotation with the same `id` MUST be stored once. A later one of the same author, name and kind on the
        same target supersedes the earlier one. Raises AnnotationRefused.
        """
        ...

    def remove_annotation(self, score_id: str) -> None:
        """Supersede a score that a person or another system gave, so that it does not count; it stays stored.

        It MUST NOT become active again, nor those that it had superseded. Removing it again changes nothing. Raises
        NoSuchAnnotation and AnnotationReplaced.
        """
        ...

    def change_dataset(self, change: DatasetChange) -> DatasetVersion:
        """Add, replace and remove items of a dataset, all or none. Raises NoSuchItem and OutdatedVersion."""
        ...

    def begin_experiment(self, start: ExperimentStart) -> ExperimentProgress:
        """Begin an experiment, or continue the newest one of its name.

        It MUST be continued if it has the same plan_hash and has not ended, unless the start `is_new`. The caller MAY
        run what is `done` again, but this is ignored.
        """
        ...

    def record_experiment_runs(self, runs: ExperimentRuns) -> None:
        """Store evaluated runs of an experiment with their scores, all or none.

        A run that is stored already MUST NOT be stored again, nor its scores, so that a request MAY be repeated; scores
        that it lacks are added. Scores MUST NOT supersede others, and are stored even if their run is not assembled
        yet. Raises NoSuchExperiment, ExperimentEnded and WrongRun.
        """
        ...

    def record_judge_calls(self, calls: ExperimentJudgeCalls) -> None:
        """Store calls of judges for an experiment. MUST have committed when it returns. Raises NoSuchExperiment."""
        ...

    def pause(self, evaluator: str) -> None:
        """Pause an evaluator, by its configured name; targets are queued until `resume`. Raises NoSuchEvaluator."""
        ...

    def resume(self, evaluator: str) -> None:
        """Let an evaluator continue. Raises NoSuchEvaluator."""
        ...

    def backfill(self, request: Backfill) -> BackfillSummary:
        """Request scores of past runs. Raises CommandRefused."""
        ...

    def preview(self, request: PreviewRequest, cancelled: Event) -> Preview:
        """Evaluate stored runs with a draft of an evaluator, and store nothing. After a limit of time, or once
        `cancelled` is set, it ends with the targets that were evaluated until then.

        MUST refuse a draft that brings code, or names a file. MUST NOT ask a judge unless the request says so. Raises
        CommandRefused and Unavailable.
        """
        ...

    def rebuild(self, request: Rebuild) -> Rebuilding:
        """Assemble stored traces again, after new ones. If a rebuild in progress covers the request, return that one.

        Raises RebuildUnderWay.
        """
        ...

    def reload(self) -> Sequence[str]:
        """Apply the present configuration, and return the settings that need a restart.

        Raises CommandRefused if it cannot be used; the active one then stays.
        """
        ...

    def snapshot(self) -> Snapshot:
        """Return a copy of the store as it is now; blocks. Raises Unavailable, also if the disk has no room for it."""
        ...

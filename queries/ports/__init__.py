"""The interface that the reading side requires of the writing side. `collector.server.commands` implements it."""

from .annotation import (
    Annotation,
    AnnotationRefused,
    AnnotationReplaced,
    AnnotationTarget,
    IdTaken,
    NoSuchAnnotation,
    NoSuchTarget,
    VagueTarget,
)
from .backfill import Backfill, BackfillSummary
from .commands import Commands
from .dataset import DatasetChange, DatasetVersion, NoSuchItem, OutdatedVersion
from .evaluator import EvaluatorProgress, EvaluatorState, LastPass, RunningEvaluator
from .experiment import (
    EvaluatorForm,
    ExperimentEnded,
    ExperimentJudgeCalls,
    ExperimentProgress,
    ExperimentRuns,
    ExperimentStart,
    NoSuchExperiment,
    RecordedJudgeCalls,
    RecordedRun,
    RecordedRuns,
    RunKey,
    WrongRun,
)
from .preview import (
    MOST_PREVIEWED,
    Preview,
    PreviewCost,
    PreviewedAgreement,
    PreviewedScore,
    PreviewRequest,
    PreviewResult,
)
from .rebuild import Rebuild, Rebuilding, RebuildUnderWay
from .refusal import CommandRefused, NoSuchEvaluator, Unavailable
from .remedy import ExplainGaps, Remedy
from .snapshot import Snapshot

__all__ = [
    "MOST_PREVIEWED",
    "Annotation",
    "AnnotationRefused",
    "AnnotationReplaced",
    "AnnotationTarget",
    "Backfill",
    "BackfillSummary",
    "CommandRefused",
    "Commands",
    "DatasetChange",
    "DatasetVersion",
    "EvaluatorForm",
    "EvaluatorProgress",
    "EvaluatorState",
    "ExperimentEnded",
    "ExperimentJudgeCalls",
    "ExperimentProgress",
    "ExperimentRuns",
    "ExperimentStart",
    "ExplainGaps",
    "IdTaken",
    "LastPass",
    "NoSuchAnnotation",
    "NoSuchEvaluator",
    "NoSuchExperiment",
    "NoSuchItem",
    "NoSuchTarget",
    "OutdatedVersion",
    "Preview",
    "PreviewCost",
    "PreviewRequest",
    "PreviewResult",
    "PreviewedAgreement",
    "PreviewedScore",
    "Rebuild",
    "RebuildUnderWay",
    "Rebuilding",
    "RecordedJudgeCalls",
    "RecordedRun",
    "RecordedRuns",
    "Remedy",
    "RunKey",
    "RunningEvaluator",
    "Snapshot",
    "Unavailable",
    "VagueTarget",
    "WrongRun",
]

"""The endpoints of the API, in the order in which they are shown."""

from __future__ import annotations

from typing import Final

from .admin import backfill, rebuild, reload
from .annotations import annotate
from .api import Api
from .datasets import change_dataset, show_dataset, show_datasets
from .endpoint import Endpoint
from .evaluators import show_evaluator, show_evaluators
from .experiments import begin_experiment, record_experiment_runs, record_judge_calls
from .explain import explain
from .labelling import show_labelling
from .reports import answer_report, show_reports
from .runs import show_run, show_runs
from .scores import show_scores
from .sessions import show_session, show_sessions
from .snapshots import snapshot
from .sql import sql
from .stored_annotations import remove_annotation, show_annotations
from .stored_experiments import show_experiment, show_experiments
from .switches import pause, resume
from .tools import show_tool, show_tools

__all__ = ["API"]

API: Final[tuple[Endpoint[Api], ...]] = (
    sql,
    show_runs,
    show_run,
    show_sessions,
    show_session,
    show_scores,
    show_reports,
    answer_report,
    show_evaluators,
    show_evaluator,
    show_tools,
    show_tool,
    explain,
    annotate,
    show_annotations,
    remove_annotation,
    show_labelling,
    show_datasets,
    show_dataset,
    change_dataset,
    show_experiments,
    show_experiment,
    begin_experiment,
    record_experiment_runs,
    record_judge_calls,
    backfill,
    rebuild,
    pause,
    resume,
    reload,
    snapshot,
)

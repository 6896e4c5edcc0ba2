"""The endpoints of the API, in the order in which they are shown."""

from __future__ import annotations

from typing import Final

from .admin import backfill, rebuild, reload
from .annotations import annotate
from .api import Api
from .datasets import change_dataset
from .endpoint import Endpoint
from .experiments import begin_experiment, record_experiment_runs, record_judge_calls
from .explain import explain
from .snapshots import snapshot
from .sql import sql
from .switches import pause, resume

__all__ = ["API"]

API: Final[tuple[Endpoint[Api], ...]] = (
    sql,
    explain,
    annotate,
    change_dataset,
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

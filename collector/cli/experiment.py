"""`tracegrade experiment run`: runs an agent on a dataset, evaluates its runs, and keeps them in the store."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.evaluators.experiments.result import ExperimentResult

from ..client.settings import load_settings
from ..client.source import LocalSource, RemoteSource, open_source
from ..client.targets import Targets
from ..clock import utc_now
from ..config.settings import Settings, evaluators_of
from ..errors import Fault
from ..experiments import command_task, http_task, model_task
from ..experiments.dataset_source import is_dataset_file, read_dataset_file, read_stored_dataset
from ..experiments.experiment import Experiment
from ..experiments.gate_file import Gate, build_gate
from ..experiments.gate_report import make_report
from ..experiments.task_call import Task
from ..experiments.task_function import find_task
from ..preview.draft import resolve_draft
from ..references.rules import References
from .console import complain
from .experiment_output import print_result
from .gate_output import EXIT_CODES, GateOutput, show_report
from .user_name import read_user_name

__all__ = ["run"]

_NOTHING_EVALUATED: Final = 3
_MOST_ROWS: Final = 20_000
_EVALUATED: Final = frozenset({"trace", "tool_call"})
_NO_AGENT: Final = "name what runs the agent: --task, --command, --url or --model; or stored runs with --runs"


def run(
    *,
    name: str,
    dataset: str | None,
    task: str | None,
    command: str | None,
    url: str | None,
    model: str | None,
    runs: str | None,
    evaluators: Sequence[str],
    repeats: int,
    concurrency: int,
    timeout_s: float,
    split: str | None,
    tags: Sequence[str],
    receives_at: str | None,
    is_new: bool,
    author: str | None,
    gate: Path | None,
    junit: Path | None,
    markdown: Path | None,
    github: bool,
    as_json: bool,
    store: str | None,
    config: Path | None,
) -> int:
    settings = load_settings(config, store=store)
    checks = _Checks(gate, GateOutput(junit=junit, markdown=markdown, github=github))
    chosen = _choose_evaluators(settings, evaluators)
    make = partial(
        Experiment, name, evaluators=chosen, author=author or read_user_name(), is_new=is_new, settings=settings
    )

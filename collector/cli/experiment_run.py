"""`tracegrade experiment run`: runs an agent on a dataset, keeps the evaluated runs, and checks them against a gate."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tracegrade.evaluators.experiments.result import ExperimentResult

from ..client.settings import load_settings
from ..clock import utc_now
from ..errors import Fault
from ..experiments.gate_file import Gate, build_gate
from ..experiments.gate_report import GateReport, make_report
from ..experiments.store import open_experiment_store
from ..system.user_name import read_user_name
from .experiment_output import print_result
from .experiment_request import AgentOptions, ExperimentRequest
from .gate_output import EXIT_CODES, GateOutput, show_report

__all__ = ["run"]

_NOTHING_EVALUATED: Final = 3


def run(
    *,
    name: str,
    dataset: str | None,
    task: str | None,
    command: str | None,
    url: str | None,
    receives_at: str | None,
    model: str | None,
    runs: str | None,
    evaluators: Sequence[str],
    repeats: int,
    concurrency: int,
    timeout_s: float,
    split: str | None,
    tags: Sequence[str],
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
    output = GateOutput(junit=junit, markdown=markdown, github=github)
    checks = _read_gate(gate, output)
    request = ExperimentRequest(
        name=name,
        settings=load_settings(config, store=store),
        agent=AgentOptions(task=task, command=command, url=url, receives_at=receives_at, model=model, runs=runs),
        dataset=dataset,
        split=split,
        tags=tags,
        evaluators=evaluators,
        options={
            "repeats": repeats,
            "concurrency": concurrency,
            "timeout_s": timeout_s,
            "is_new": is_new,
            "author": author or read_user_name(),
        },
    )
    request.check()
    result, report = asyncio.run(_run(request, checks))
    print_result(result, as_json=as_json)
    return _conclude(result, report, output)


def _read_gate(file: Path | None, output: GateOutput) -> Gate | None:
    """Read the gate that is named. Raises Fault and BadConfiguration."""
    if file is not None:
        return build_gate(file, {})
    if output != GateOutput():
        raise Fault("--junit, --markdown and --github are reports of a gate: name its FILE with --gate")
    return None


async def _run(request: ExperimentRequest, gate: Gate | None) -> tuple[ExperimentResult, GateReport | None]:
    """Run the experiment, and check its scores against a gate."""
    async with open_experiment_store(request.settings) as store:
        experiment = await asyncio.to_thread(request.make_experiment, store.read)
        result = await experiment.arun(store=store, isolates_task=True)
        if gate is None:
            return result, None
        of_this = gate.model_copy(update={"experiment": result.experiment_id})
        return result, await asyncio.to_thread(make_report, store.read, of_this, now=utc_now())


def _conclude(result: ExperimentResult, report: GateReport | None, output: GateOutput) -> int:
    """Print and write the report of the gate; return the exit code."""
    if report is None:
        return 0 if any(run.scores for run in result.runs) else _NOTHING_EVALUATED
    show_report(report)
    output.write(report)
    return EXIT_CODES[report.result.status]

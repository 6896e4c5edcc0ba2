"""`tracegrade gate`: decides by stored scores whether a release is good enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..client.settings import select_given
from ..client.source import reading
from ..clock import utc_now
from ..errors import Fault
from ..experiments.gate_file import build_gate
from ..experiments.gate_formats import build_json
from ..experiments.gate_report import make_report
from .console import print_json
from .gate_output import EXIT_CODES, GateOutput, show_report

__all__ = ["gate"]


def gate(
    *,
    file: Path | None,
    minimums: Sequence[str],
    pass_rates: Sequence[str],
    drops: Sequence[str],
    min_n: int | None,
    since: str | None,
    until: str | None,
    agent: str | None,
    agent_version: str | None,
    service: str | None,
    environment: str | None,
    experiment: str | None,
    baseline_since: str | None,
    baseline_until: str | None,
    baseline_version: str | None,
    baseline_experiment: str | None,
    junit: Path | None,
    markdown: Path | None,
    github: bool,
    as_json: bool,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    evaluators = _read_limits({"min_mean": minimums, "min_pass_rate": pass_rates, "max_mean_drop": drops})
    if file is None and not evaluators:
        raise Fault("there is nothing to check: name the FILE of a gate, or --min EVALUATOR=VALUE")
    baseline = select_given(
        since=baseline_since, until=baseline_until, agent_version=baseline_version, experiment=baseline_experiment
    )
    selection = select_given(since=since, until=until, agent=agent, agent_version=agent_version)
    selection |= select_given(service=service, environment=environment, experiment=experiment)
    options = select_given(evaluators=evaluators or None, baseline=baseline or None, min_n=min_n, **selection)
    with reading(config, store=store, server=server) as source:
        report = make_report(source.read, build_gate(file, options), now=utc_now())
    print_json(build_json(report)) if as_json else show_report(report)
    GateOutput(junit=junit, markdown=markdown, github=github).write(report)
    return EXIT_CODES[report.result.status]


def _read_limits(limits: Mapping[str, Iterable[str]]) -> dict[str, dict[str, float]]:
    """Read `EVALUATOR=VALUE` of each option. Raises Fault."""
    evaluators: dict[str, dict[str, float]] = {}
    for limit, texts in limits.items():
        for text in texts:
            name, _, value = text.rpartition("=")
            try:
                evaluators.setdefault(name, {})[limit] = float(value)
            except ValueError as error:
                raise Fault(f"{text!r} is not a limit; write EVALUATOR=VALUE, such as tool_error=0.95") from error
            if not name:
                raise Fault(f"{text!r} names no evaluator; write EVALUATOR=VALUE, such as tool_error=0.95")
    return evaluators

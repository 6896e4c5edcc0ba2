"""The experiment that a run is part of, as its resource names it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.stored_experiments import EXPERIMENT, mark

from tracegrade.collector.assembly import assemble
from tracegrade.collector.otlp.experiment_mark import EXPERIMENT_ID
from tracegrade.collector.spans.span import Span


def marked(spans: list[Span], resource: dict[str, Any]) -> list[Span]:
    return [replace(span, resource=resource) for span in spans]


def test_run_is_part_of_the_experiment_that_its_resource_names() -> None:
    (run,) = assemble(marked(agent_spans.trip(), mark()))
    assert run.experiment_id == EXPERIMENT
    (other,) = assemble(agent_spans.trip())
    assert other.experiment_id is None


@pytest.mark.parametrize("value", ["", 7, None], ids=["empty", "number", "null"])
def test_mark_that_is_not_an_id_is_ignored(value: object) -> None:
    (run,) = assemble(marked(agent_spans.trip(), {EXPERIMENT_ID: value}))
    assert run.experiment_id is None


@pytest.mark.parametrize(
    ("service", "resource", "expected"),
    [
        ("tests", {}, EXPERIMENT),
        ("tests", mark("another"), "another"),
        ("hotels", {}, None),
        (None, {}, None),
    ],
    ids=["same service", "mark of its own", "another service", "no service"],
)
def test_sub_agent_in_the_same_service_inherits_the_mark(
    service: str | None, resource: dict[str, Any], expected: str | None
) -> None:
    calls = [agent_spans.agent(1, for_s=20), agent_spans.tool(2, "ask", parent=1, at_s=1, for_s=15)]
    inner = marked(agent_spans.trip(name="hotels", first=11, parent=2), resource)
    runs = assemble([*_in_service("tests", marked(calls, mark())), *_in_service(service, inner)])
    assert {run.agent_name: run.experiment_id for run in runs} == {"travel": EXPERIMENT, "hotels": expected}


def _in_service(service: str | None, spans: list[Span]) -> list[Span]:
    return [replace(span, service_name=service) for span in spans]

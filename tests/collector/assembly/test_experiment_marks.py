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


def test_sub_agent_is_part_of_the_experiment_of_its_caller_whatever_its_own_service_names() -> None:
    calls = marked([agent_spans.agent(1, for_s=20), agent_spans.tool(2, "ask", parent=1, at_s=1, for_s=15)], mark())
    inner = marked(agent_spans.trip(name="hotels", first=11, parent=2), {"service.name": "hotels"})
    innermost = marked([agent_spans.agent(21, name="rooms", parent=11, at_s=2, for_s=1)], mark("another"))
    runs = assemble([*calls, *inner, *innermost])
    assert {run.agent_name: run.experiment_id for run in runs} == dict.fromkeys(
        ["travel", "hotels", "rooms"], EXPERIMENT
    )

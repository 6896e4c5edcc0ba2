"""A reference is named only where something of it was used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.conclusion import conclude
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, Score

FIELDS = ("expected_response", "expected_tool_calls", "tasks", "minimums")
RUN = AgentTrace(
    input="q",
    final_response="a",
    reference=Reference(
        expected_response="a",
        expected_tool_calls=(ExpectedCall(name="x"),),
        tasks=("t",),
        minimums={"x": 1},
        source="rule:travel",
        sources=dict.fromkeys(FIELDS, "rule:travel"),
    ),
)


@pytest.mark.parametrize(
    ("use", "options", "is_used"),
    [
        ("geval", {"criteria": "polite"}, False),
        ("geval", {"criteria": "right", "evidence": ["final_response", "reference.tasks"]}, True),
        ("rubric", {"criteria": "polite", "evidence": ["final_response"]}, False),
        ("langchain:trajectory_accuracy", {"use_reference": False}, False),
        ("langchain:trajectory_accuracy", {}, True),
        ("ragas:agent_goal_accuracy", {"use_reference": False}, False),
        ("floeval:response_coherence", {}, False),
        ("agentv:tool_trajectory", {"expected": [{"tool": "x"}]}, False),
        ("agentv:tool_trajectory", {}, True),
        ("tool_correctness", {}, True),
    ],
)
def test_source_of_the_reference_is_named_where_it_is_used(use: str, options: dict[str, Any], *, is_used: bool) -> None:
    evaluator = configure(use, options=options)
    score = Score(value=1.0, explanation="fine")
    [record] = conclude(evaluator, RUN, score, scored_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert record.reference_source == ("rule:travel" if is_used else None)
    assert record.explanation == ("fine (according to rule:travel)" if is_used else "fine")

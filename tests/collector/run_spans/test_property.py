"""A run of any shape, written as spans and assembled again, is the same run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.run_shapes import AT, families, reassemble

from tracegrade.evaluators.model import AgentTrace, ToolCall


def _expected_call(call: ToolCall, again: ToolCall, ids: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a call that come back; a time that was not recorded becomes that of its span."""
    is_span = again.span_id is not None
    return {
        **call.model_dump(exclude={"source", "span_id", "started_at", "metadata", "duration_ms"}),
        "started_at": again.started_at if call.started_at is None else call.started_at,
        "duration_ms": None if call.duration_ms is None else pytest.approx(call.duration_ms, abs=1e-6),
        "metadata": {**call.metadata, **({"gen_ai.operation.name": "execute_tool"} if is_span else {})},
        "child_agent_trace_id": ids.get(call.child_agent_trace_id or "", call.child_agent_trace_id),
    }


@given(families())
@settings(max_examples=300, deadline=None)
def test_run_comes_back_as_it_was(family: Sequence[AgentTrace]) -> None:
    again = reassemble(family)
    assert len(again) == len(family)
    ids = {run.agent_trace_id: other.agent_trace_id for run, other in zip(family, again, strict=True)}
    for run, other in zip(family, again, strict=True):
        _check(run, other, ids)

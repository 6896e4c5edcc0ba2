"""Stands in for the function that writes runs as spans: an agent span for each run, and a span for each tool call."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import ModuleType
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.otlp import key_values, traces_request

from tracegrade.evaluators.model import AgentTrace

__all__ = ["use_written_runs", "write_runs"]

MODULE = "tracegrade.collector.run_spans"


def write_runs(runs: Sequence[AgentTrace], *, at: datetime, seed: str, resource: Mapping[str, str]) -> bytes:
    """The runs as an export request. A run without an id is of trace 1."""
    del seed
    spans = [span for run in runs for span in _write_run(run, round(at.timestamp() * 1e9))]
    return traces_request(spans, resource=resource)


def use_written_runs(patch: pytest.MonkeyPatch) -> None:
    module = ModuleType(MODULE)
    module.write_runs = write_runs  # type: ignore[attr-defined]  # as the module that it stands for
    patch.setitem(sys.modules, MODULE, module)


def _write_run(run: AgentTrace, at_ns: int) -> list[Span]:
    trace_id, _, agent_id = run.agent_trace_id.partition("-")
    about: dict[str, Any] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": run.agent_name or "agent"}
    if run.input is not None:
        about["gen_ai.input.messages"] = _message("user", run.input)
    if run.final_response is not None:
        about["gen_ai.output.messages"] = _message("assistant", run.final_response)
    spans = [_span(trace_id, agent_id, about, at_ns)]
    for number, call in enumerate(run.tool_calls, start=1):
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.arguments": json.dumps(call.args),
            "gen_ai.tool.call.result": call.result,
        }
        spans.append(_span(trace_id, f"{number:016x}", tool, at_ns + number, parent=agent_id))
    return spans


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _span(trace_id: str, span_id: str, attributes: dict[str, Any], at_ns: int, parent: str = "") -> Span:
    return Span(
        trace_id=bytes.fromhex(trace_id),
        span_id=bytes.fromhex(span_id),
        parent_span_id=bytes.fromhex(parent),
        name=attributes["gen_ai.operation.name"],
        start_time_unix_nano=at_ns,
        end_time_unix_nano=at_ns + 1000,
        attributes=key_values(attributes),
    )

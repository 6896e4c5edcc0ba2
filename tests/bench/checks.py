"""The default checks on one run of ten tool calls in this process, and the worst that two long lists of calls cost."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Mapping
from typing import Final

from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.matching import MAX_PAIRS
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, JsonObject, Reference, ToolCall, ToolDefinition

from .figures import Benchmark, Metric, Options

__all__ = ["CHECKS"]

_RUNS: Final = 500
_LONGEST: Final = int(MAX_PAIRS**0.5)
_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "required": ["to", "nights"],
    "properties": {
        "to": {"type": "string"},
        "nights": {"type": "integer", "minimum": 1},
        "stars": {"enum": [1, 2, 3, 4, 5]},
        "from": {"type": "string", "format": "date"},
    },
    "additionalProperties": False,
}
_TOOLS: Final = tuple(
    ToolDefinition(name=f"book_{number}", description="Books a hotel.", input_schema={**_SCHEMA, "title": str(number)})
    for number in range(5)
)


def _run(_: Options) -> Mapping[str, float]:
    evaluators = [one for one in build_evaluators(None) if one.scope != "tool"]
    tools = [one for one in build_evaluators(None) if one.scope == "tool"]
    return {
        "a run of which nothing is expected": _us(evaluators, [_trip(number) for number in range(_RUNS)]),
        "a run with ten expected calls": _us(evaluators, [_expected(number) for number in range(_RUNS)]),
        "a tool definition, once": _us(tools, [tool for _ in range(_RUNS // 5) for tool in _TOOLS]),
        **_worst(),
    }


def _us(evaluators: list[Configured], targets: list[AgentTrace] | list[ToolDefinition]) -> float:
    took = []
    for target in targets:
        began = time.perf_counter()
        InProcessWorkbench().evaluate([target], evaluators)
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1e6


def _worst() -> Mapping[str, float]:
    """Calls of one tool with different arguments, any of which may stand for any other: as many as are compared."""
    calls = tuple(ToolCall(name="search", args={"page": number}) for number in range(_LONGEST))
    wanted = tuple(ExpectedCall(name="search", args={"page": -number}) for number in range(1, _LONGEST + 1))
    trace = AgentTrace(tool_calls=calls, reference=Reference(expected_tool_calls=wanted))
    found = {}
    for mode in ("in_order", "any_order"):
        evaluator = configure("tool_trajectory", options={"mode": mode})
        began = time.perf_counter()
        evaluator.function(trace)
        found[f"{mode}, {_LONGEST:,} calls against as many"] = time.perf_counter() - began
    tracemalloc.start()
    configure("tool_trajectory").function(trace)
    found["memory of that, in order"] = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return found


def _trip(number: int) -> AgentTrace:
    calls = (
        ToolCall(
            name=f"book_{at % 5}",
            args={"to": f"Paris {number} {at}", "nights": at + 1, "stars": 3, "from": "2026-11-22"},
            result='{"ok": true, "price": 12.5}',
            duration_ms=3.0,
        )
        for at in range(10)
    )
    return AgentTrace(agent_trace_id=str(number), tool_calls=tuple(calls), tool_definitions=_TOOLS)


def _expected(number: int) -> AgentTrace:
    trace = _trip(number)
    wanted = tuple(ExpectedCall(name=call.name, args=call.args) for call in trace.tool_calls)
    return trace.model_copy(update={"reference": Reference(expected_tool_calls=wanted)})


CHECKS = Benchmark(
    "All default checks on a run of ten tool calls, with their scores",
    (
        Metric(name="a run of which nothing is expected", unit="µs", target=200, less_is_better=True),
        Metric(name="a run with ten expected calls", unit="µs"),
        Metric(name="a tool definition, once", unit="µs"),
        Metric(name=f"in_order, {_LONGEST:,} calls against as many", unit="s"),
        Metric(name=f"any_order, {_LONGEST:,} calls against as many", unit="s"),
        Metric(name="memory of that, in order", unit="MB"),
    ),
    _run,
)

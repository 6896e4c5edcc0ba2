"""Tool calls whose span is alone in a trace of its own."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.store import Store, opened

from tracegrade.collector.spans.span import Span

ASK = agent_spans.text_message("user", "Look it up")
DAY_S = 24 * 3600


def run(call_id: str = "call_77", *, trace: int = 1, at_s: float = 0) -> list[Span]:
    """A run of which the tool was recorded nowhere but in the model's request."""
    call = agent_spans.tool_call_message((call_id, "lookup", {"q": "x"}))
    return [
        agent_spans.agent(1, trace=trace, at_s=at_s),
        agent_spans.chat(2, trace=trace, parent=1, at_s=at_s, hears=[ASK], says=[call]),
    ]


def lone(call_id: str = "call_77", *, at_s: float = 2) -> list[Span]:
    return [agent_spans.tool(3, "lookup", trace=2, at_s=at_s, args={"q": "x"}, result="y", call_id=call_id)]


def write(store: Store, spans: list[Span], service: str = "agents") -> None:
    store.arrive(spans, resource={"service.name": service})
    store.revise(*{int(span.trace_id, 16) for span in spans})


def calls(store: Store) -> list[tuple[Any, ...]]:
    return store.rows("select trace_id, name, result, status, span_id from tool_calls order by trace_id")


@pytest.mark.parametrize("order", list(permutations(range(2))), ids=["run-first", "tool-first"])
def test_lone_tool_is_the_call_of_a_run(tmp_path: Path, order: tuple[int, ...]) -> None:
    with opened(tmp_path) as store:
        for at in order:
            write(store, [run(), lone()][at])
        [(trace, *call)] = calls(store)
        assert (int(trace, 16), call[:3]) == (1, ["lookup", "y", "ok"])
        assert store.rows("select trace_id from agent_traces") == [(trace,)]
        write(store, lone())
        assert len(calls(store)) == 1


@pytest.mark.parametrize(
    ("of_run", "of_tool", "service"),
    [
        pytest.param(run("call_1"), lone("call_1"), "agents", id="counted-id"),
        pytest.param(run(), lone(), "others", id="other-service"),
        pytest.param(run(), lone(at_s=2 * DAY_S), "agents", id="days-later"),
        pytest.param([*run(), *run(trace=3)], lone(), "agents", id="two-runs"),
        pytest.param(run("call_78"), lone(), "agents", id="other-id"),
    ],
)
def test_lone_tool_of_nobody_stays_a_run(tmp_path: Path, of_run: list[Span], of_tool: list[Span], service: str) -> None:
    with opened(tmp_path) as store:
        write(store, of_run)
        write(store, of_tool, service)
        assert (2,) in [(int(trace, 16),) for (trace,) in store.rows("select trace_id from agent_traces")]

"""One trace of many spans: what a span of it costs, and that it costs no more the more there are."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span

from .figures import Benchmark, Metric, Options

__all__ = ["LONG_TRACE"]

_SMALL, _LARGE = 2_500, 20_000


def _run(options: Options) -> Mapping[str, float]:
    small, large = (_us_a_span(list(_long_run(spans))) for spans in (_SMALL, _LARGE))
    return {"2,500 spans": small, "20,000 spans": large, "how many times as much a span": large / small}


def _us_a_span(spans: list[Span]) -> float:
    began = time.perf_counter()
    assemble(spans)
    return (time.perf_counter() - began) / len(spans) * 1e6


def _long_run(spans: int) -> Iterator[Span]:
    """An agent that asks its model for a tool again and again; each call hears what the last tool said."""
    yield agent_spans.agent(1, for_s=spans)
    question = agent_spans.text_message("user", "Look until you find it")
    for number in range(2, spans, 2):
        asks = agent_spans.tool_call_message((f"call_{number}", "search", {"page": number}))
        heard = agent_spans.tool_response_message(f"call_{number - 2}", "nothing")
        yield agent_spans.chat(number, parent=1, at_s=number, for_s=0.5, hears=[question, heard], says=[asks])
        yield agent_spans.tool(
            number + 1,
            parent=1,
            at_s=number + 0.6,
            for_s=0.3,
            args={"page": number},
            result="nothing",
            call_id=f"call_{number}",
        )


LONG_TRACE = Benchmark(
    "Assembly of one large trace",
    (
        Metric(name="2,500 spans", unit="µs/span"),
        Metric(name="20,000 spans", unit="µs/span"),
        Metric(name="how many times as much a span", unit="", target=1.5, less_is_better=True),
    ),
    _run,
)

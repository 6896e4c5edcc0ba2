from __future__ import annotations

from typing import Any

from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span

SCOPE = "org.springframework.boot"


def span(number: int, name: str, attributes: dict[str, Any], **fields: Any) -> Span:
    return agent_spans.span(number, name=name, scope_name=SCOPE, attributes=attributes, **fields)


def graph(number: int, **fields: Any) -> Span:
    span_attributes = {"spring.ai.alibaba.kind": "graph", "spring.ai.alibaba.graph.name": "weather"}
    return span(number, "spring.ai.alibaba.graph.weather", span_attributes, **fields)


def test_graph_is_a_run_with_the_calls_of_spring_ai_in_its_nodes() -> None:
    model = {
        "gen_ai.operation.name": "chat",
        "gen_ai.system": "dashscope",
        "gen_ai.request.model": "qwen-max",
        "gen_ai.usage.input_tokens": "30",
        "gen_ai.usage.output_tokens": "6",
    }
    tool = {
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "get_weather",
        "spring.ai.tool.call.arguments": '{"city": "Paris"}',
        "spring.ai.tool.call.result": "sunny",
    }
    [run] = assemble(
        [
            graph(1, for_s=10),
            span(2, "spring.ai.alibaba.graph.node.agent", {"spring.ai.alibaba.kind": "graph_node"}, parent=1, for_s=9),
            span(3, "chat qwen-max", model, parent=2, at_s=1),
            span(4, "tool_call get_weather", tool, parent=2, at_s=3),
        ]
    )
    assert (run.agent_name, run.input_tokens, run.output_tokens) == ("weather", 30, 6)
    assert [(call.name, call.args, call.result) for call in run.tool_calls] == [
        ("get_weather", {"city": "Paris"}, "sunny")
    ]
    assert "no_agent_span" not in run.gaps


def test_nodes_and_edges_give_structure() -> None:
    for kind in ("graph_node", "graph_edge"):
        assert dialects.read(span(1, "x", {"spring.ai.alibaba.kind": kind})) is None

from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span


def node(number: int, name: str, kind: str, attributes: dict[str, Any], **fields: Any) -> Span:
    own = {"gen_ai.framework": "dify", "gen_ai.span.kind": kind, **attributes}
    return agent_spans.span(number, name=name, scope_name="dify", attributes=own, **fields)


def test_workflow_is_a_run_with_the_nodes_of_its_tools_and_models() -> None:
    request = {"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2}
    called = {
        "gen_ai.tool.name": "Weather",
        "gen_ai.tool.call.arguments": '{"city": "Paris"}',
        "gen_ai.tool.call.result": '{"text": "sunny"}',
    }
    message_fields = {
        "input.value": json.dumps({"sys.query": "Weather?"}),
        "output.value": json.dumps({"answer": "Sunny."}),
    }
    [run] = assemble(
        [
            node(1, "workflow", "CHAIN", {"dify.app_id": "app-1", "gen_ai.user.id": "u-1", **message_fields}, for_s=10),
            node(2, "start", "TASK", {}, parent=1),
            node(3, "weather", "TOOL", called, parent=1, at_s=1),
            node(4, "answer", "LLM", request, parent=1, at_s=3),
        ]
    )
    assert (run.dialect, run.user_id, run.input, run.final_response) == ("dify", "u-1", "Weather?", "Sunny.")
    assert (run.input_tokens, run.output_tokens) == (10, 2)
    assert [(call.name, call.args, call.result) for call in run.tool_calls] == [
        ("Weather", {"city": "Paris"}, '{"text": "sunny"}')
    ]
    assert "no_agent_span" not in run.gaps

from __future__ import annotations

from typing import Any

from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span


def workflow(number: int, **fields: Any) -> Span:
    span_attributes = {"n8n.workflow.name": "Support", "n8n.workflow.id": "wf-1", "n8n.execution.id": "42"}
    return agent_spans.span(number, name="workflow.execute", scope_name="n8n", attributes=span_attributes, **fields)


def node(number: int, name: str, kind: str, **fields: Any) -> Span:
    span_attributes = {"n8n.node.name": name, "n8n.node.type": kind}
    return agent_spans.span(
        number, name="node.execute", scope_name="n8n", attributes=span_attributes, parent=1, **fields
    )


def test_execution_with_an_agent_is_a_run_with_the_names_of_its_calls() -> None:
    [run] = assemble(
        [
            workflow(1, for_s=20),
            node(2, "Webhook", "n8n-nodes-base.webhook"),
            node(3, "AI Agent", "@n8n/n8n-nodes-langchain.agent", at_s=1, for_s=10),
            node(4, "Chat Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", at_s=2),
            node(5, "Wikipedia", "@n8n/n8n-nodes-langchain.toolWikipedia", at_s=4),
            node(6, "Send a mail", "n8n-nodes-base.gmailTool", at_s=6, status_code="error", status_message="no access"),
        ]
    )
    assert (run.agent_name, run.agent_id, len(run.llm_calls)) == ("Support", "wf-1", 1)
    assert [(call.name, call.status, call.error) for call in run.tool_calls] == [
        ("Wikipedia", "ok", None),
        ("Send a mail", "error", "no access"),
    ]
    assert {"content_not_captured", "tool_arguments_not_captured", "tool_results_not_captured"} <= {*run.gaps}


def test_execution_in_which_no_agent_was_at_work_is_no_run() -> None:
    assert assemble([workflow(1), node(2, "Webhook", "n8n-nodes-base.webhook")]) == []


def test_node_with_a_kind_of_openinference_is_read_as_such() -> None:
    span_attributes = {
        "n8n.node.name": "Wikipedia",
        "n8n.node.type": "n8n-nodes-base.x",
        "openinference.span.kind": "TOOL",
    }
    reading = dialects.read(agent_spans.span(1, name="Wikipedia", attributes=span_attributes))
    assert reading is not None
    assert (reading[0], reading[1].kind) == ("openinference", "tool")

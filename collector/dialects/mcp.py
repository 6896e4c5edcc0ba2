"""Tool calls over the Model Context Protocol, as its clients and servers record them, beside or below the agent's own.

A client and a server each tell of one call; where an agent has a span of its own for it, so does that. All of them are
the same tool call. Every other request (initialize, tools/list, prompts/get, …) gives structure only.

Sources: the conventions (https://github.com/open-telemetry/semantic-conventions-genai, model/mcp) and who follows them:
mcp 2.3 (mcp/shared/jsonrpc_dispatcher.py, mcp/server/_otel.py), fastmcp 4.2 (fastmcp/client/telemetry.py,
fastmcp/server/telemetry.py), agent-framework-core 1.23 (agent_framework/observability.py); with keys of their own:
opentelemetry-instrumentation-mcp 0.62 (Traceloop), logfire 5.2 (logfire/_internal/integrations/mcp.py).
"""

from __future__ import annotations

from typing import Any

from ..spans.envelopes import content_blocks, mcp_error, result_text
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import read_step
from .shared.parts import read_arguments

__all__ = ["DIALECT"]

METHOD, CALL = "mcp.method.name", "tools/call"
ASKED, ANSWERED = ("request", "traceloop.entity.input"), ("response", "traceloop.entity.output")


def read(span: Span) -> Step | None:
    request = _read_request(span)
    name = span.text("gen_ai.tool.name") or as_text(request.get("name")) or _target(span)
    if name is None or not _is_call(span):
        return None
    step = replace(read_step(span, "tool", semconv.KEYS), tool_name=name)
    answer = step.result if step.result is not None else span.first(*ANSWERED)
    return replace(
        step,
        args=step.args if step.args is not None else read_arguments(request.get("arguments")),
        result=_result(answer),
        error=step.error or mcp_error(answer) or _failure(answer),
    )


def _is_call(span: Span) -> bool:
    method = span.text(METHOD, "rpc.method")
    return method == CALL if method else span.text("traceloop.span.kind") == "tool"


def _read_request(span: Span) -> dict[str, Any]:
    """Return name and arguments of a recorded request: `{"params": {…}}`, or `{"tool_name", "arguments"}`."""
    request = as_object(span.first(*ASKED)) or {}
    params = as_object(request.get("params")) or request
    return {"name": params.get("name", params.get("tool_name")), "arguments": params.get("arguments")}


def _target(span: Span) -> str | None:
    """Return the tool in a span's name: `tools/call {tool}`, with any prefix, or `{tool}.tool`."""
    _, is_named, target = span.name.partition(f"{CALL} ")
    return (target if is_named else span.text("traceloop.entity.name")) or None


def _result(answer: Any) -> str | None:
    """Return the tool's result: the texts of its content, which Traceloop puts into `{"result"}`.

    A result that says it is an error stays as it was sent.
    """
    content = decode_text(answer)
    if _is_traceloops(content):
        return as_text(content["result"])
    return (
        content_blocks([_as_text_block(block) for block in content])
        if isinstance(content, list)
        else result_text(answer)
    )


def _as_text_block(block: Any) -> Any:
    """Return a text block of Traceloop's, `{"type": "text", "content"}`, as MCP has it."""
    is_written = isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("content"), str)
    return {"text": block["content"]} if is_written else block


def _failure(answer: Any) -> str | None:
    """Return the text of a result that Traceloop marks as an error."""
    result = as_object(answer)
    if result is None or result.get("is_error") is not True:
        return None
    return (as_text(result["result"]) if _is_traceloops(result) else None) or "error"


def _is_traceloops(result: Any) -> bool:
    return isinstance(result, dict) and "result" in result and result.keys() <= {"result", "is_error"}


DIALECT = Dialect(
    "mcp",
    read,
    scopes=("mcp-python-sdk", "opentelemetry.instrumentation.mcp*", "logfire.mcp"),
    keys=(METHOD,),
    evidence=(
        Evidence("mcp", "2.3", "recording"),
        Evidence("opentelemetry-instrumentation-mcp", "0.62", "recording"),
        Evidence("logfire", "5.2", "source"),
        Evidence("fastmcp", "4.2", "source"),
    ),
)

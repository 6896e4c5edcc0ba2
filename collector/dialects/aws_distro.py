"""The instrumentations within the AWS distribution of OpenTelemetry: GenAI keys, with LangChain's results as printed.

A result of a tool in LangGraph is the `str` of a ToolMessage: `content='…' name='…' tool_call_id='…'`.

Source: aws-opentelemetry-distro 0.21 (amazon/opentelemetry/distro/instrumentation/langchain/callback_handler.py,
instrumentation/common/instrumentation_utils.py)
"""

from __future__ import annotations

from ..spans.envelopes import parse_printed_message
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    if step is None or step.kind != "tool" or step.result is None:
        return step
    printed = parse_printed_message(step.result)
    if printed is None:
        return step
    return replace(
        step, result=printed.text, call_id=step.call_id or printed.call_id, error=step.error or printed.error
    )


DIALECT = Dialect(
    "aws_distro",
    read,
    scopes=("amazon.opentelemetry.distro.instrumentation.*",),
    evidence=(Evidence("aws-opentelemetry-distro", "0.21", "recording"),),
)

"""The instrumentations within the AWS distribution of OpenTelemetry: GenAI keys, with LangChain's results as printed.

A result of a tool in LangGraph is the `str` of a ToolMessage: `content='…' name='…' tool_call_id='…'`.

Source: aws-opentelemetry-distro 0.21 (amazon/opentelemetry/distro/instrumentation/langchain/callback_handler.py,
instrumentation/common/instrumentation_utils.py)
"""

from __future__ import annotations

import ast
import re

from ..conventions import semconv
from ..dialect import Dialect, Evidence
from ..envelopes import returned
from ..frozen import replace
from ..span import Span
from ..step import Step

__all__ = ["DIALECT"]

_PRINTED = re.compile(
    r"content=(?P<content>.*?) (?:name='[^']*' )?(?:id='[^']*' )?tool_call_id='(?P<call_id>[^']*)'(?P<rest>.*)",
    re.DOTALL,
)


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    if step is None or step.kind != "tool" or step.result is None:
        return step
    printed = _PRINTED.fullmatch(step.result)
    if printed is None:
        return step
    content = _content(printed["content"])
    failed = (content or "error") if " status='error'" in printed["rest"] else None
    return replace(step, result=content, call_id=step.call_id or printed["call_id"], error=step.error or failed)


def _content(printed: str) -> str | None:
    """What the message held; the text as it was printed where that is no literal of Python."""
    try:
        return returned(ast.literal_eval(printed))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return printed


DIALECT = Dialect(
    "aws_distro",
    read,
    scopes=("amazon.opentelemetry.distro.instrumentation.*",),
    evidence=(Evidence("aws-opentelemetry-distro", "0.21", "recording"),),
)

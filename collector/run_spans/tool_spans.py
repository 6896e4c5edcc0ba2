"""The spans of a run's tool calls.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-spans.md, execute tool span)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tracegrade.evaluators.model import ToolCall

from ..dialects import DIALECTS
from ..dialects.shared.keys import Keys
from ..dialects.shared.semconv_keys import KEYS, OPERATION
from .message_json import write_arguments, write_result
from .run_ids import RunId
from .span import build_span
from .times import Period

__all__ = ["build_tool_span"]

_EXECUTE: Final = "execute_tool"
_READ: Final = frozenset(name for field in fields(Keys) for name in getattr(KEYS, field.name))
"""The attributes under which the conventions have fields of a call."""


def build_tool_span(call: ToolCall, span_id: RunId, *, period: Period, parent: str) -> Span:
    """Return the span of a call that was executed, or that began and waits for a person."""
    is_failed = call.error is not None or call.status == "error"
    return build_span(
        f"{_EXECUTE} {call.name}",
        span_id,
        period=period,
        attributes={**_metadata(call.metadata), **_facts(call)},
        parent=parent,
        error=(call.error or "") if is_failed else None,
        interrupt="" if call.status in {"not_executed", None} else None,
    )


def _facts(call: ToolCall) -> Mapping[str, Any]:
    return {
        OPERATION: _EXECUTE,
        "gen_ai.agent.name": call.agent_name,
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.call.arguments": write_arguments(call.args, call.args_text),
        "gen_ai.tool.call.result": None if call.result is None else write_result(call.result),
    }


def _metadata(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes that say nothing of the call to any dialect."""
    return {key: value for key, value in metadata.items() if not _is_read(key)}


@lru_cache(maxsize=4096)
def _is_read(key: str) -> bool:
    return key in _READ or any(dialect.claims_key(key) for dialect in DIALECTS)

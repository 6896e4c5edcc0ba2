"""OpenClaw: a run of its harness with GenAI keys on the calls of models and tools, and a name of its own for each span.

`openclaw.message.processed` stands around the run that answers a message. Tokens are recorded on a span beside the
model calls, `openclaw.model.usage`; earlier versions wrote them into the messages that the model gave back.

Source: openclaw 2026.9 (extensions/diagnostics-otel/src/service-recorders-harness.ts, service-recorders-tools.ts,
service-recorders-usage.ts, service-genai-content.ts)
"""

from __future__ import annotations

from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind, Usage
from ..spans.values import as_count, as_object, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step

__all__ = ["DIALECT"]

_OUTPUT = "openclaw.content.output_messages"
_KEYS = semconv.KEYS.before(
    Keys(
        agent_name=("openclaw.agent",),
        provider_name=("openclaw.provider",),
        request_model=("openclaw.model",),
        instructions=("openclaw.content.system_prompt",),
        input=("openclaw.content.input_messages",),
        output=(_OUTPUT,),
        definitions=("openclaw.content.tool_definitions",),
        tool_name=("openclaw.toolName",),
        args=("openclaw.content.tool_input",),
        result=("openclaw.content.tool_output",),
    )
)
_RUN_KEYS = _KEYS.before(Keys(input_value=("input.value",), output_value=("output.value",)))

_RUNS: dict[str, StepKind] = {
    "openclaw.harness.run": "agent",
    "openclaw.message.processed": "workflow",
    "openclaw.run": "agent",
}
"""The spans that name no operation, or a wrong one."""


def read(span: Span) -> Step | None:
    kind = _RUNS.get(span.name)
    if kind is not None:
        return read_step(span, kind, _RUN_KEYS)
    step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return replace(step, error=_denial(span) or step.error)
    return replace(step, usage=_usage_in_output(span)) if step.usage == Usage() else step


def _denial(span: Span) -> str | None:
    """Return why the call was not allowed; its status is that of a successful call."""
    if span.attributes.get("openclaw.outcome") != "blocked":
        return None
    return f"blocked: {span.text('openclaw.deniedReason') or 'other'}"


def _usage_in_output(span: Span) -> Usage:
    """Return the tokens and the cost in the messages of the answer."""
    answers = decode_text(span.first(_OUTPUT))
    usages = [usage for answer in _listed(answers) if (usage := as_object(answer.get("usage"))) is not None]
    if not usages:
        return Usage()
    cached = _total(usages, "cacheRead")
    costs = [cost for usage in usages if isinstance(cost := (as_object(usage.get("cost")) or {}).get("total"), float)]
    return Usage(
        input_tokens=_total(usages, "input", "cacheRead", "cacheWrite"),
        output_tokens=_total(usages, "output"),
        cached_input_tokens=cached,
        cost_usd=sum(costs) if costs else None,
    )


def _listed(answers: Any) -> list[dict[str, Any]]:
    return [answer for answer in answers if isinstance(answer, dict)] if isinstance(answers, list) else []


def _total(usages: list[dict[str, Any]], *keys: str) -> int | None:
    counts = [count for usage in usages for key in keys if (count := as_count(usage.get(key))) is not None]
    return sum(counts) if counts else None


DIALECT = Dialect(
    "openclaw",
    read,
    scopes=("openclaw",),
    keys=("openclaw.*",),
    content=(
        "diagnostics.otel.captureContent: { enabled: true, inputMessages: true, outputMessages: true, "
        "toolInputs: true, toolOutputs: true }"
    ),
    evidence=(Evidence("openclaw", "2026.9", "source"),),
)

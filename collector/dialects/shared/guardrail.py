"""Guardrail spans, in the spellings of all dialects.

Source: https://github.com/open-telemetry/semantic-conventions-genai/pull/427 (`gen_ai.security.*`) and its drafts,
OpenLLMetry (`gen_ai.guardrail.*`), OpenInference (the kind GUARDRAIL), OpenAI Agents (`triggered`), Amazon Bedrock
(`GUARDRAIL_INTERVENED`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from tracegrade.evaluators.model import Guardrail

from ...spans.span import Span, instant
from ...spans.step import Step
from ...spans.values import as_object, as_text
from .semconv_keys import OPERATION

__all__ = ["read_guardrail"]

_OPERATIONS: Final = frozenset({"apply_guardrail", "run_guardrail", "guardrail"})
_KIND_KEYS: Final = (
    "openinference.span.kind",
    "gen_ai.span.kind",
    "langfuse.observation.type",
    "mlflow.spanType",
    "traceloop.span.kind",
    "langwatch.span.type",
    "langsmith.span.kind",
    "agentops.span.kind",
    "span.type",
    "entity.type",
    "type",
)
_OWN_NAMES: Final = ("gen_ai.security.guardrail.name", "gen_ai.guardian.name", "gen_ai.guardrail.name")
"""The names of guardrails, which no other span has."""
_NAMES: Final = (
    *_OWN_NAMES,
    "guardrail.name",
    "guardrail_name",
    "gen_ai.security.policy.name",
    "traceloop.entity.name",
    "entity.name",
    "name",
)
_DECISIONS: Final = (
    "gen_ai.security.action.type",
    "gen_ai.security.verdict.type",
    "gen_ai.security.decision.type",
    "gen_ai.guardrail.action",
    "guardrail.action",
    "gen_ai.guardrail.triggered",
    "guardrail.triggered",
    "triggered",
    "gen_ai.guardrail.status",
    "guardrail.status",
    "guardrail_status",
)
"""What the caller enforced comes before the verdict."""
_REASONS: Final = (
    "gen_ai.security.verdict.reason",
    "gen_ai.security.decision.reason",
    "gen_ai.guardrail.reason",
    "guardrail.reason",
    "reason",
)
_TARGETS: Final = ("gen_ai.security.target.type", "gen_ai.guardrail.type", "guardrail.type", "guardrail_mode")
_OUTPUTS: Final = (
    "output.value",
    "gen_ai.guardrail.output",
    "langfuse.observation.output",
    "mlflow.spanOutputs",
    "traceloop.entity.output",
    "langwatch.output",
    "output",
)
_IN_OUTPUT: Final = ("action", "decision", "verdict", "status", "result")
_TRIGGERS: Final = ("tripwire_triggered", "tripwireTriggered", "triggered", "blocked", "flagged")
_PASSES: Final = ("passed", "allowed", "is_safe", "valid", "validation_passed")

_WORDS: Final = {
    "allow": "allow allowed approve approved continue none ok pass passed safe success succeeded valid",
    "deny": "deny denied block blocked fail failed failure guardrail_intervened halt intervened reject rejected "
    "refuse refused terminate terminated tripped triggered unsafe",
    "modify": "modify modified anonymize anonymized mask masked redact redacted rewrite rewritten sanitize sanitized",
    "warn": "warn warned warning flag flagged",
    "audit": "audit audited log logged",
}
_BY_WORD: Final = {word: decision for decision, words in _WORDS.items() for word in words.split()}
_LONGEST: Final = 200
_SPAN_NAME: Final = re.compile(r"(?:(?:apply|run)_)?guardrail[ .:]+(.+)|(.+)[._ ]guardrail", re.IGNORECASE)


def read_guardrail(span: Span) -> Step | None:
    """Return the decision of the guardrail that `span` records; None for any other span."""
    if not _is_guardrail(span):
        return None
    output = _read_output(span)
    decision = _normalize(span.first(*_DECISIONS))
    guardrail = Guardrail(
        name=_name(span)[:_LONGEST],
        decision=_decide(output) if decision is None else decision,
        reason=_cut(span.text(*_REASONS) or as_text(output.get("reason") or output.get("message"))),
        target=_cut(span.text(*_TARGETS)),
        span_id=span.span_id,
        time=instant(span.start_ns),
    )
    return Step(kind="guardrail", guardrail=guardrail, error=span.error)


_SIGNS: Final = frozenset({OPERATION, *_OWN_NAMES, *_KIND_KEYS})


def _is_guardrail(span: Span) -> bool:
    if _SIGNS.isdisjoint(span.attributes):
        return False
    if span.text(OPERATION) in _OPERATIONS or span.text(*_OWN_NAMES) is not None:
        return True
    kind = span.text(*_KIND_KEYS)
    return kind is not None and kind.strip('"').lower() == "guardrail"


def _name(span: Span) -> str:
    """Return its name, else that of its span without the word guardrail."""
    named = span.text(*_NAMES)
    if named is not None:
        return named
    found = _SPAN_NAME.fullmatch(span.name)
    return (found[1] or found[2]) if found else span.name or "guardrail"


def _normalize(value: Any) -> str | None:
    """Return a decision by its name in the conventions; True: it was triggered. Unknown words stay."""
    if isinstance(value, bool):
        return "deny" if value else "allow"
    word = as_text(value)
    if word is None:
        return None
    if word.lower() in {"true", "false"}:
        return _normalize(word.lower() == "true")
    return _BY_WORD.get(word.strip().lower(), word[:_LONGEST])


def _read_output(span: Span) -> dict[str, Any]:
    """Return the fields of its output; a single word is the decision."""
    value = span.first(*_OUTPUTS)
    fields = as_object(value)
    if fields is not None:
        return fields
    word = as_text(value)
    return {"decision": word} if word is not None and word.strip('" ').lower() in _BY_WORD else {}


def _decide(output: dict[str, Any]) -> str | None:
    triggered = next((output[key] for key in _TRIGGERS if isinstance(output.get(key), bool)), None)
    if triggered is not None:
        return _normalize(triggered)
    passed = next((output[key] for key in _PASSES if isinstance(output.get(key), bool)), None)
    if passed is not None:
        return _normalize(not passed)
    word = next((output[key].strip('" ') for key in _IN_OUTPUT if isinstance(output.get(key), str)), None)
    return _normalize(word)


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:_LONGEST]

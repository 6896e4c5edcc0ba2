from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import Guardrail


def guard(attributes: Mapping[str, Any], name: str = "apply_guardrail PII Filter", parent: int | None = 1) -> Span:
    return agent_spans.span(2, name=name, parent=parent, attributes=attributes)


def decisions(*spans: Span) -> list[Guardrail]:
    [run] = assemble([agent_spans.agent(1), *spans])
    return list(run.guardrails or ())


SEMCONV = {"gen_ai.operation.name": "apply_guardrail", "gen_ai.security.guardrail.name": "PII Filter"}


def test_guardrail_of_the_conventions_has_its_decision() -> None:
    verdict = {
        "gen_ai.security.verdict.type": "deny",
        "gen_ai.security.verdict.reason": "a card number",
        "gen_ai.security.target.type": "llm_input",
    }
    [found] = decisions(guard({**SEMCONV, **verdict}))
    assert (found.name, found.decision, found.reason, found.target) == (
        "PII Filter",
        "deny",
        "a card number",
        "llm_input",
    )


def test_what_was_enforced_comes_before_the_verdict() -> None:
    enforced = {"gen_ai.security.verdict.type": "deny", "gen_ai.security.action.type": "redact"}
    assert decisions(guard({**SEMCONV, **enforced}))[0].decision == "modify"


@pytest.mark.parametrize(
    ("attributes", "decision"),
    [
        ({"gen_ai.operation.name": "guardrail", "gen_ai.security.decision.type": "warn"}, "warn"),
        ({"gen_ai.guardrail.name": "toxic", "gen_ai.guardrail.status": "FAILED"}, "deny"),
        ({"gen_ai.guardrail.name": "toxic", "gen_ai.guardrail.triggered": False}, "allow"),
        ({"openinference.span.kind": "GUARDRAIL", "output.value": "blocked"}, "deny"),
        (
            {"openinference.span.kind": "GUARDRAIL", "output.value": json.dumps({"action": "GUARDRAIL_INTERVENED"})},
            "deny",
        ),
        ({"openinference.span.kind": "GUARDRAIL", "output.value": json.dumps({"tripwireTriggered": False})}, "allow"),
        ({"langfuse.observation.type": "guardrail", "langfuse.observation.output": '{"passed": false}'}, "deny"),
        ({"mlflow.spanType": '"GUARDRAIL"', "mlflow.spanOutputs": '{"flagged": true}'}, "deny"),
        ({"openinference.span.kind": "GUARDRAIL", "output.value": "The answer is polite."}, None),
        ({"gen_ai.operation.name": "apply_guardrail", "gen_ai.security.decision.type": "quarantine"}, "quarantine"),
    ],
)
def test_decision_is_read_in_every_spelling(attributes: dict[str, Any], decision: str | None) -> None:
    assert [found.decision for found in decisions(guard(attributes))] == [decision]


@pytest.mark.parametrize(("name", "called"), [("guardrail pii", "pii"), ("pii.guardrail", "pii"), ("check", "check")])
def test_guardrail_without_a_name_is_called_like_its_span(name: str, called: str) -> None:
    assert decisions(guard({"gen_ai.operation.name": "guardrail"}, name))[0].name == called


def test_guardrail_beside_the_only_agent_is_its_own() -> None:
    assert len(decisions(guard(SEMCONV, parent=None))) == 1


def test_guardrail_alone_is_no_run() -> None:
    assert assemble([guard(SEMCONV, parent=None)]) == []


def test_run_without_a_guardrail_records_none() -> None:
    [run] = assemble([agent_spans.agent(1)])
    assert run.guardrails is None


def test_of_very_many_those_that_denied_stay() -> None:
    passes = [agent_spans.span(n, parent=1, at_s=n / 100, attributes=SEMCONV) for n in range(10, 100)]
    denied = agent_spans.span(200, parent=1, at_s=9, attributes={**SEMCONV, "gen_ai.security.verdict.type": "deny"})
    found = decisions(*passes, denied)
    assert len(found) == 50
    assert found[-1].decision == "deny"

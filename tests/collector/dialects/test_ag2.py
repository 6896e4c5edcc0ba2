from __future__ import annotations

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span

SCOPE = "opentelemetry.instrumentation.ag2"


def spent(kind: str) -> Span:
    span_attributes = {"ag2.span.type": "usage", "ag2.usage.kind": kind, "gen_ai.usage.input_tokens": 7}
    return agent_spans.span(
        2, parent=1, at_s=1, scope_name=SCOPE, attributes={**span_attributes, "gen_ai.response.model": "gpt-4.1"}
    )


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [
        pytest.param("model_call", None, id="told by the span of the model call"),
        pytest.param("subtask", None, id="told by the spans of the sub-agent"),
        pytest.param("compaction", 7, id="told nowhere else"),
    ],
)
def test_what_was_spent_counts_where_no_model_call_tells_it(kind: str, tokens: int | None) -> None:
    [run] = assemble([agent_spans.agent(1), spent(kind)])

    assert run.input_tokens == tokens


def turn(number: int, name: str, version: str | None) -> Span:
    span_attributes = {"ag2.span.type": "agent", "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    return agent_spans.span(number, scope_name=SCOPE, scope_version=version, attributes=span_attributes)


@pytest.mark.parametrize(("version", "kind"), [("0.14.0", "workflow"), (None, "agent")])
def test_turns_of_a_conversation_are_no_runs_of_their_own(version: str | None, kind: str) -> None:
    reading = dialects.read(turn(1, "travel", version))

    assert reading is not None
    assert (reading[0], reading[1].kind, reading[1].agent_name) == ("ag2", kind, "travel")

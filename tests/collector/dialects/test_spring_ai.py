from __future__ import annotations

from typing import Any

import pytest
from tests.support import tale

from tracegrade.collector import dialects
from tracegrade.collector.span import Event
from tracegrade.collector.step import Step

SCOPE = "org.springframework.boot"


def read(attributes: dict[str, Any], **fields: Any) -> Step | None:
    found = dialects.read(tale.span(1, scope_name=SCOPE, attributes=attributes, **fields))
    assert found is None or found[0] == "spring_ai"
    return found[1] if found else None


def step(attributes: dict[str, Any], **fields: Any) -> Step:
    found = read(attributes, **fields)
    assert found is not None
    return found


def of_framework(kind: str, **more: Any) -> dict[str, Any]:
    return {"gen_ai.operation.name": "framework", "gen_ai.system": "spring_ai", "spring.ai.kind": kind, **more}


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({"method": "POST", "uri": "/chat"}, id="a request that the application serves"),
        pytest.param(of_framework("advisor"), id="an advisor"),
        pytest.param(
            {"spring.ai.kind": "vector_store", "db.operation.name": "add"}, id="a vector store that is filled"
        ),
        pytest.param({"gen_ai.operation.name": "embedding", "gen_ai.system": "openai"}, id="an embedding"),
    ],
)
def test_what_only_gives_structure_is_no_step(attributes: dict[str, Any]) -> None:
    assert read(attributes) is None


def test_query_of_a_vector_store_is_a_retrieval() -> None:
    assert step({"spring.ai.kind": "vector_store", "db.operation.name": "query"}).kind == "retrieval"


@pytest.mark.parametrize("operation", ["framework", "execute_tool"])
def test_tool_is_told_by_its_kind_in_every_version(operation: str) -> None:
    told = of_framework("tool_call", **{"spring.ai.tool.definition.name": "search", "gen_ai.operation.name": operation})

    assert (step(told).kind, step(told).tool_name) == ("tool", "search")


def test_model_that_nobody_named_has_no_name() -> None:
    model = step({"gen_ai.operation.name": "chat", "gen_ai.system": "openai", "gen_ai.request.model": "none"})

    assert model.request_model is None


def test_what_milestones_recorded_is_read() -> None:
    completion = Event("gen_ai.content.completion", 2, {"gen_ai.completion": ["Paris is sunny."]})
    client = step(of_framework("chat_client", **{"spring.ai.chat.client.user.text": "How is Paris?"}))
    model = step({"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}, events=(completion,))

    assert (client.input_text, model.output_text) == ("How is Paris?", "Paris is sunny.")

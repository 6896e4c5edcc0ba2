from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step

SCOPE = "org.springframework.boot"


def read(attributes: dict[str, Any], **fields: Any) -> Step | None:
    reading = dialects.read(agent_spans.span(1, scope_name=SCOPE, attributes=attributes, **fields))
    assert reading is None or reading[0] == "spring_ai"
    return reading[1] if reading else None


def step(attributes: dict[str, Any], **fields: Any) -> Step:
    return require_step(read(attributes, **fields))


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


def logged(body: str) -> Event:
    return Event(None, 2, {}, body=body, is_log=True)


def model(*events: Event) -> Step:
    return step({"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}, events=events)


def test_texts_of_a_model_call_are_read_from_the_log_records_of_its_span() -> None:
    call = model(
        logged('Chat Model Prompt Content:\n["How is \n Paris?"]'),
        logged('Chat Model Completion:\n["Sunny,\nas ever"]'),
    )

    assert [(message.role, message.text) for message in call.input or ()] == [("user", "How is \n Paris?")]
    assert call.output_text == "Sunny,\nas ever"


def test_several_texts_without_roles_are_not_given_any() -> None:
    call = model(logged('Chat Model Prompt Content:\n["Be brief", "How is Paris?"]'))

    assert [message.role for message in call.input or ()] == ["unknown"]


def test_answer_that_asks_for_tools_has_no_text() -> None:
    assert model(logged("Chat Model Completion:\n[]")).output_text is None


def test_texts_of_a_client_are_read_by_their_roles() -> None:
    prompt = logged('Chat Client Prompt Content:\n["system":"Say "yes", "no" or both", "user":"How is Paris?"]')
    client = step(of_framework("chat_client"), events=(prompt, logged('Chat Client Completion:\n["yes"]')))

    assert [(message.role, message.text) for message in client.input or ()] == [
        ("system", 'Say "yes", "no" or both'),
        ("user", "How is Paris?"),
    ]
    assert client.output_text == "yes"


def test_other_log_records_of_the_span_say_nothing() -> None:
    call = model(logged("Retrying"), Event("spring", 3, {}, body={"Chat Model Completion:": "x"}, is_log=True))

    assert (call.input, call.output_text) == (None, None)


def test_names_of_the_tools_that_were_offered_are_read() -> None:
    call = step(
        {"gen_ai.operation.name": "chat", "gen_ai.system": "openai", "spring.ai.model.request.tool.names": '["search"]'}
    )

    assert [tool.name for tool in call.definitions or ()] == ["search"]

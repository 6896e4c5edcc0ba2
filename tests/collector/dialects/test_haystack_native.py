from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step

ASKED, ANSWERED = {"_role": "user", "_content": [{"text": "Where to?"}]}, {"role": "assistant", "content": "Paris"}


def step(name: str, attributes: dict[str, Any], *, scope: str = "haystack") -> Step:
    recorded = {
        key: value if isinstance(value, (str, bool)) else json.dumps(value) for key, value in attributes.items()
    }
    return read_step(agent_spans.span(1, name=name, attributes=recorded, scope_name=scope), "haystack_native")


def component(kind: str, *, given: Any = None, gave: Any = None) -> Step:
    recorded = {"haystack.component.input": given or {}, "haystack.component.output": gave or {}}
    return step("haystack.component.run", {"haystack.component.type": kind, **recorded})


def test_messages_are_read_under_the_names_of_every_version() -> None:
    recorded_step = component("OpenAIChatGenerator", given={"messages": [ASKED]}, gave={"replies": [ANSWERED]})

    assert [message.text for message in recorded_step.input or ()] == ["Where to?"]
    assert [message.text for message in recorded_step.output or ()] == ["Paris"]


def test_generator_of_texts_has_what_it_used_beside_its_replies() -> None:
    used = {"model": "gpt-4.1", "finish_reason": "stop", "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    recorded_step = component(
        "OpenAIGenerator", given={"prompt": "Where to?"}, gave={"replies": ["Paris"], "meta": [used]}
    )

    assert [message.text for message in (*(recorded_step.input or ()), *(recorded_step.output or ()))] == [
        "Where to?",
        "Paris",
    ]
    assert (recorded_step.response_model, recorded_step.usage.input_tokens, recorded_step.usage.output_tokens) == (
        "gpt-4.1",
        7,
        2,
    )


@pytest.mark.parametrize(
    ("kind", "recorded"),
    [("Agent", "agent"), ("AzureOpenAIChatGenerator", "model"), ("QdrantEmbeddingRetriever", "retrieval")],
)
def test_class_of_a_component_says_what_it_is_when_content_is_off(kind: str, recorded: str) -> None:
    assert component(kind).kind == recorded


@pytest.mark.parametrize("kind", ["PromptBuilder", "OpenAIImageGenerator"])
def test_component_that_is_no_step_of_an_agent_only_gives_structure(kind: str) -> None:
    span = agent_spans.span(1, name="haystack.component.run", attributes={"haystack.component.type": kind})

    assert dialects.read(span) is None


def test_spans_are_known_by_their_keys_where_the_tracer_has_a_name_of_its_own() -> None:
    recorded_step = step("haystack.agent.step.tool", {"haystack.tool.name": "search"}, scope="my_application")

    assert (recorded_step.kind, recorded_step.tool_name) == ("tool", "search")


@pytest.mark.parametrize(
    ("flag", "gave", "error"),
    [
        ({"haystack.tool.error": True}, None, "error"),
        ({}, {"error": "Failed to invoke Tool `search`. Error: down"}, "Failed to invoke Tool `search`. Error: down"),
        ({}, {"error": "no flights"}, None),
    ],
    ids=["content off", "no mark", "the tool's own word"],
)
def test_failure_of_a_tool(flag: dict[str, Any], gave: Any, error: str | None) -> None:
    recorded = {"haystack.tool.name": "search", **flag} | ({"haystack.agent.step.tool.output": gave} if gave else {})

    assert step("haystack.agent.step.tool", recorded).error == error


def test_tools_of_a_toolset_are_offered_like_any_other() -> None:
    tool = {"type": "haystack.tools.tool.Tool", "data": {"name": "search", "parameters": {"type": "object"}}}
    recorded_step = step(
        "haystack.agent.run", {"haystack.agent.tools": [tool, {"type": "T", "data": {"tools": [tool]}}]}
    )

    assert [definition.name for definition in recorded_step.definitions or ()] == ["search", "search"]


def test_question_is_the_only_text_that_a_pipeline_was_given() -> None:
    inputs = {"retriever": {"query": "Where to?", "top_k": 3}, "prompt_builder": {"question": "Where to?"}}

    assert step("haystack.pipeline.run", {"haystack.pipeline.input_data": inputs}).input_text == "Where to?"


def test_agent_answers_with_what_came_after_the_last_message_it_was_given() -> None:
    state = {"haystack.agent.input": {"messages": [ASKED]}, "haystack.agent.output": {"messages": [ASKED, ANSWERED]}}

    assert [message.text for message in step("haystack.agent.run", state).output or ()] == ["Paris"]

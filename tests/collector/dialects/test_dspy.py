from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import TextPart, ToolCallPart, ToolCallResponsePart

SCOPE = "openinference.instrumentation.dspy"
CALL = ToolCallPart(id=None, name="book", arguments={"city": "Paris"})


def read(kind: str, *, name: str = "Travel.forward", **attributes: Any) -> Step | None:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    span = agent_spans.span(
        1, name=name, attributes={"openinference.span.kind": kind, **span_attributes}, scope_name=SCOPE
    )
    reading = dialects.read(span)
    return reading[1] if reading else None


def step(kind: str, *, name: str = "Travel.forward", **attributes: Any) -> Step:
    return require_step(read(kind, name=name, **attributes))


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        pytest.param(
            "[[ ## next_thought ## ]]\nBook.\n\n[[ ## next_tool_name ## ]]\nbook\n\n[[ ## next_tool_args ## ]]\n"
            '{"city": "Paris"}\n\n[[ ## completed ## ]]',
            (TextPart(content="Book."), CALL),
            id="under headings",
        ),
        pytest.param(
            '{"next_thought": "Book.", "next_tool_name": "book", "next_tool_args": {"city": "Paris"}}',
            (TextPart(content="Book."), CALL),
            id="as JSON",
        ),
        pytest.param(
            '{"next_tool_name": "book", "next_tool_args": {"city": "Paris"}}', (CALL,), id="without a thought"
        ),
    ],
)
def test_a_call_spelled_in_an_answer_is_a_call(written: str, parts: tuple[object, ...]) -> None:
    answer = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": written}

    output = step("LLM", **answer).output

    assert output is not None
    assert output[0].parts == parts


@pytest.mark.parametrize(
    "written",
    ["In Paris.", "[[ ## answer ## ]]\nIn Paris.", '{"next_tool_name": "finish", "next_tool_args": {}}', "[[ ## x"],
)
def test_any_other_answer_stays_as_it_is(written: str) -> None:
    answer = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": written}

    output = step("LLM", **answer).output

    assert output is not None
    assert output[0].parts == (TextPart(content=written),)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        pytest.param({"input_args": {"question": "Where?"}}, "Where?", id="of an agent"),
        pytest.param({"question": "Where?", "history": []}, "Where?", id="with what went before"),
        pytest.param({"from": "JFK", "to": "CDG"}, '{"from":"JFK","to":"CDG"}', id="several"),
    ],
)
def test_a_module_was_asked_its_fields(given: dict[str, Any], asked: str) -> None:
    module = step("CHAIN", input__value=json.dumps(given), output__value='{"reasoning": "r", "answer": "Paris"}')

    assert (module.agent_name, module.input_text, module.output_text) == ("Travel", asked, "Paris")


def test_only_the_tool_by_which_an_agent_says_it_has_finished_is_no_call() -> None:
    finished = {"input.value": '{"kwargs": {}}', "output.value": '"Completed."'}

    assert read("TOOL", name="finish.__call__", **finished) is None
    assert step("TOOL", name="finish.__call__", output__value='"Painted."').tool_name == "finish"
    assert step("TOOL", name="paint.acall", output__value='"Completed."').tool_name == "paint"


TRAJECTORY = """[[ ## thought_0 ## ]]
Book.

[[ ## tool_name_0 ## ]]
book

[[ ## tool_args_0 ## ]]
{"city": "Paris"}

[[ ## observation_0 ## ]]
HTL-PAR-5

[[ ## thought_1 ## ]]
Done.

[[ ## tool_name_1 ## ]]
finish

[[ ## tool_args_1 ## ]]
{}

[[ ## observation_1 ## ]]
Completed."""


@pytest.mark.parametrize("ending", ["", "\n\nRespond with the corresponding output fields."], ids=["shown", "asked"])
def test_what_tools_answered_is_no_part_of_what_the_user_asked(ending: str) -> None:
    question = f"[[ ## question ## ]]\nA hotel?\n\n[[ ## trajectory ## ]]\n{TRAJECTORY}{ending}"
    heard = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": question}

    turns = step("LLM", **heard).input

    assert turns is not None
    assert [(message.role, message.parts) for message in turns] == [
        ("user", (TextPart(content=f"[[ ## question ## ]]\nA hotel?{ending}"),)),
        ("tool", (ToolCallResponsePart(name="book", response="HTL-PAR-5"),)),
    ]

from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.assembly.answers import answered_calls
from tracegrade.collector.dialects.shared.messages import messages
from tracegrade.evaluators.model import AgentTrace, ToolCallPart, ToolCallResponsePart

ARGS = {"to": "Paris"}


def call(call_id: str | None, name: str = "search", **args: Any) -> dict[str, Any]:
    part = {"type": "tool_call", "id": call_id, "name": name, "arguments": args or ARGS}
    return {"role": "assistant", "parts": [part]}


def answer(call_id: str | None, response: str, name: str | None = None) -> dict[str, Any]:
    part = {"type": "tool_call_response", "id": call_id, "name": name, "response": response}
    return {"role": "tool", "parts": [part]}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param([call("a"), call("b"), answer("b", "1"), answer("a", "2")], ["b", "a"], id="by-id"),
        pytest.param(
            [call("a"), call("b", "book"), answer("x", "1", "book"), answer("y", "2", "search")],
            ["b", "a"],
            id="by-name",
        ),
        pytest.param([call("a"), call("b"), answer(None, "1"), answer(None, "2")], ["a", "b"], id="by-order"),
        pytest.param([call("a"), call("b"), answer("a", "1"), answer("a", "2")], ["a", None], id="answered-before"),
        pytest.param([call("a"), answer(None, "1", "book")], [None], id="of-no-call"),
    ],
)
def test_answer_belongs_to_the_call_of_its_id_else_of_its_name_else_to_the_first(
    said: list[dict[str, Any]], expected: list[str | None]
) -> None:
    held = messages(said) or ()
    calls = answered_calls(held)
    answers = [part for message in held for part in message.parts if isinstance(part, ToolCallResponsePart)]

    found = [calls.get(id(part)) for part in answers]
    assert [part.id if isinstance(part, ToolCallPart) else None for part in found] == expected


def run_of(*says: dict[str, Any], hears: list[dict[str, Any]], ran: int = 1, first: Any = ()) -> AgentTrace:
    question = agent_spans.text_message("user", "Find a flight")
    spans = [
        agent_spans.agent(1),
        agent_spans.chat(2, parent=1, at_s=1, hears=[*first, question], says=says),
        *(agent_spans.tool(3 + at, parent=1, at_s=2 + at / 10, for_s=0.05, call_id=f"span-{at}") for at in range(ran)),
        agent_spans.chat(
            9, parent=1, at_s=5, hears=[*first, question, *hears], says=[agent_spans.text_message("assistant", "Done.")]
        ),
    ]
    [run] = assemble(spans)
    return run


def test_answer_under_another_id_is_that_of_the_call_that_the_request_shows_before_it() -> None:
    run = run_of(call("adk-1"), hears=[call("search_0"), answer("search_0", "AF007")])

    assert [(tool_call.id, tool_call.result) for tool_call in run.tool_calls] == [("span-0", "AF007")]


def test_call_without_a_span_is_answered_under_another_id_too() -> None:
    run = run_of(call("fc_1"), hears=[call("fc_1"), answer("call_1", "AF007")], ran=0)

    assert [(tool_call.id, tool_call.result, tool_call.status) for tool_call in run.tool_calls] == [
        ("fc_1", "AF007", "ok")
    ]


def test_answer_before_the_run_is_not_that_of_a_later_call_with_the_same_id() -> None:
    before = [
        agent_spans.text_message("user", "Hi"),
        call("search_0"),
        answer("search_0", "old"),
        agent_spans.text_message("assistant", "Old."),
    ]
    run = run_of(call("search_0"), hears=[call("search_0"), answer("search_0", "new")], first=before)

    assert [tool_call.result for tool_call in run.tool_calls] == ["new"]


def test_same_call_of_an_earlier_turn_keeps_its_own_answer() -> None:
    before = [
        agent_spans.text_message("user", "Hi"),
        call("search_0"),
        answer("search_0", "old"),
        agent_spans.text_message("assistant", "Old."),
    ]
    run = run_of(call("adk-1"), hears=[call("search_0"), answer("search_0", "new")], first=before)

    assert [tool_call.result for tool_call in run.tool_calls] == ["new"]


def test_call_whose_answer_never_came_has_none() -> None:
    run = run_of(call("adk-1"), hears=[call("search_0")])

    assert [tool_call.result for tool_call in run.tool_calls] == [None]


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([answer(None, "AF007"), answer(None, "HTL")], id="as-answers"),
        pytest.param(
            [{"role": "tool", "parts": [{"type": "text", "content": text}]} for text in ("AF007", "HTL")], id="as-texts"
        ),
    ],
)
def test_answers_without_ids_in_a_request_without_calls_belong_to_the_calls_in_order(
    answers: list[dict[str, Any]],
) -> None:
    request = {"role": "assistant", "parts": [*call("a")["parts"], *call("b", "book")["parts"]]}
    left_out = {"role": "assistant", "parts": []}
    first = agent_spans.chat(2, parent=1, at_s=1, hears=[agent_spans.text_message("user", "Hi")], says=[request])
    second = agent_spans.chat(
        3,
        parent=1,
        at_s=3,
        hears=[agent_spans.text_message("user", "Hi"), left_out, *answers],
        says=[agent_spans.text_message("assistant", "Done.")],
    )

    [run] = assemble([agent_spans.agent(1), first, second])

    assert [(tool_call.name, tool_call.result, tool_call.status) for tool_call in run.tool_calls] == [
        ("search", "AF007", "ok"),
        ("book", "HTL", "ok"),
    ]


def test_answer_without_an_id_is_not_given_to_a_call_that_was_answered() -> None:
    hears = [agent_spans.text_message("user", "Hi")]
    first = agent_spans.chat(2, parent=1, at_s=1, hears=hears, says=[call("a")])
    second = agent_spans.chat(
        3, parent=1, at_s=3, hears=[*hears, call("a"), answer("a", "AF007")], says=[call("b", "book")]
    )
    third = agent_spans.chat(
        4, parent=1, at_s=5, hears=[*hears, answer(None, "HTL")], says=[agent_spans.text_message("assistant", "Done.")]
    )

    [run] = assemble([agent_spans.agent(1), first, second, third])

    assert [tool_call.result for tool_call in run.tool_calls] == ["AF007", "HTL"]

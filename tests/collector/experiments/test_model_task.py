"""A model with an OpenAI-compatible API is the agent of an experiment."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai import OpenAI
from tests.support.llm import Asked, Llm, Reply, llm

from tracegrade.collector.experiments import Experiment, model_task
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.named import tool_trajectory

BOOK = {"type": "function", "function": {"name": "book", "description": "Books.", "parameters": {"type": "object"}}}


def client(model: Llm) -> OpenAI:
    return OpenAI(base_url=model.url, api_key="none", max_retries=0)


def calls_tool(asked: Asked) -> Reply:
    """A completion that asks for the tool `book` with the last word of the question."""
    city = asked.body["messages"][-1]["content"].split()[-1]
    function = {"name": "book", "arguments": json.dumps({"city": city})}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    completion = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
    return Reply(raw=json.dumps(completion).encode())


def run(given: Any, model: Llm, **options: Any) -> ExperimentRun:
    call = {"name": "book", "args": {"city": "Paris"}}
    item = DatasetItem.model_validate({"input": given, "expected_tool_calls": [call]})
    task = model_task("scripted", client=client(model), **options)
    (only,) = Experiment("models", [item], task, [tool_trajectory(mode="strict")]).run().runs
    return only


def test_calls_that_the_model_asks_for_are_those_of_the_run() -> None:
    with llm(calls_tool) as model:
        only = run("Book a hotel in Paris", model, system="You book hotels.", tools=[BOOK], temperature=0)
    assert only.run is not None
    assert [(call.name, call.args, call.result) for call in only.run.tool_calls] == [("book", {"city": "Paris"}, None)]
    assert (only.run.input, only.run.final_response, only.run.model) == ("Book a hotel in Paris", None, "scripted-1")
    assert (only.run.input_tokens, only.run.output_tokens) == (7, 3)
    assert [tool.name for tool in only.run.tool_definitions or ()] == ["book"]
    assert only.scores[0].passed
    (asked,) = model.asked
    assert (asked.body["model"], asked.body["temperature"]) == ("scripted", 0)
    assert [message["role"] for message in asked.body["messages"]] == ["system", "user"]


def test_answer_in_words_is_the_final_response() -> None:
    with llm(lambda _: "There is none.") as model:
        only = run("Book a hotel in Paris", model)
    assert only.run is not None
    assert (only.run.final_response, only.run.tool_calls) == ("There is none.", ())
    assert only.scores[0].passed is False


def test_conversation_is_continued() -> None:
    talk = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "Book a hotel in Paris"},
    ]
    with llm(calls_tool) as model:
        only = run({"messages": talk}, model)
    assert model.asked[0].body["messages"] == talk
    assert only.run is not None
    assert only.run.input == "Book a hotel in Paris"


@pytest.mark.parametrize(
    ("given", "reply", "cause"),
    [
        ({"city": "Paris"}, Reply(text="x"), "TypeError: the input is a question, or an object with `messages` alone"),
        ("Paris?", Reply(text="no such model", status=404), "NotFoundError: "),
        ("Paris?", Reply(raw=b"{"), "JSONDecodeError: "),
        ("Paris?", Reply(raw=b'{"choices": []}'), "ValueError: the response has no choices"),
    ],
)
def test_model_that_gives_no_answer_is_an_error_with_its_cause(given: Any, reply: Reply, cause: str) -> None:
    with llm(lambda _: reply) as model:
        only = run(given, model)
    assert only.status == "error"
    assert (only.cause or "").startswith(cause)

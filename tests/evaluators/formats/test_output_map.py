"""What a task of Dokimos returns is read as a run."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.formats.output_map import run_of_output
from tracegrade.evaluators.model import AgentTrace, ToolCall


def test_output_map_of_a_run_is_read_back() -> None:
    run = AgentTrace(
        final_response="booked",
        tool_calls=(ToolCall(name="book", args={"city": "Paris"}, result="ok"),),
        reasoning_steps=("look", "book"),
    )
    read = run_of_output(run.to_output_map())
    assert isinstance(read, AgentTrace)
    assert read.to_output_map() == run.to_output_map()


def test_output_without_calls_is_a_text_since_the_calls_are_unknown() -> None:
    assert run_of_output({"output": "booked"}) == "booked"
    none = run_of_output({"output": "", "toolCalls": []})
    assert isinstance(none, AgentTrace)
    assert (none.tool_calls, none.final_response) == ((), None)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"outputs": "x"}, r"there is no key 'outputs' in an output map \(did you mean 'output'\?\)"),
        ({"output": 3}, "output is a text, not int"),
        ({}, "output is a text, not NoneType"),
        ({"output": "x", "reasoningSteps": "think"}, "reasoningSteps is a list of texts"),
        ({"output": "x", "toolCalls": [{"args": {}}]}, r"toolCalls\[0\] has no name"),
    ],
)
def test_output_map_that_cannot_be_read_names_the_key(output: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run_of_output(output)

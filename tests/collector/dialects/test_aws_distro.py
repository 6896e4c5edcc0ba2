from __future__ import annotations

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step

SCOPE = "amazon.opentelemetry.distro.instrumentation.langchain"


def call(result: str) -> Step:
    span_attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.result": result,
    }
    return read_step(agent_spans.span(1, attributes=span_attributes, scope_name=SCOPE), "aws_distro")


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        pytest.param("content='AF007' name='search' tool_call_id='call_1'", "AF007", id="a text"),
        pytest.param(
            "content=\"it's AF007\" name='search' tool_call_id='call_1'", "it's AF007", id="a text with a quote"
        ),
        pytest.param(
            "content=[{'type': 'text', 'text': 'AF007'}] name='search' id='x' tool_call_id='call_1'",
            "AF007",
            id="blocks",
        ),
        pytest.param("content=Flight(7) tool_call_id='call_1'", "Flight(7)", id="no literal"),
    ],
)
def test_message_that_was_printed_gives_its_content_and_its_call(printed: str, result: str) -> None:
    step = call(printed)

    assert (step.result, step.call_id, step.error) == (result, "call_1", None)


def test_message_that_says_so_is_an_error() -> None:
    assert call("content='no seats' name='search' tool_call_id='call_1' status='error'").error == "no seats"


def test_any_other_result_stays_as_it_is() -> None:
    assert call("content=5").result == "content=5"

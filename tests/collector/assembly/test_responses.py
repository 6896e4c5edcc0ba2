from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("gen_ai.request.previous_response.id", "resp_1", id="semantic-conventions"),
        pytest.param("gen_ai.request.previous_response_id", "resp_1", id="xai-sdk"),
        pytest.param("gen_ai.openai.request.previous_response_id", "resp_1", id="forks-of-openai-v2"),
        pytest.param(
            "llm.invocation_parameters", '{"previous_response_id": "resp_1", "store": true}', id="openinference"
        ),
        pytest.param("request_data", '{"model": "gpt-4.1-mini", "previous_response_id": "resp_1"}', id="logfire"),
    ],
)
def test_response_that_a_model_call_continues_is_read(key: str, value: Any) -> None:
    span = agent_spans.chat(1)
    [run] = assemble([agent_spans.span(1, name=span.name, attributes={**span.attributes, key: value})])
    assert run.llm_calls[0].previous_response_id == "resp_1"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param('{"previous_response_id": null}', id="null"),
        pytest.param('{"previous_response_id": "resp_', id="truncated"),
        pytest.param(5, id="number"),
        pytest.param(["previous_response_id"], id="list"),
    ],
)
def test_request_that_names_no_response_continues_none(value: Any) -> None:
    span = agent_spans.chat(1)
    attributes = {**span.attributes, "llm.invocation_parameters": value}
    [run] = assemble([agent_spans.span(1, name=span.name, attributes=attributes)])
    assert run.llm_calls[0].previous_response_id is None

from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step


def span(number: int, *, parent: int | None = None, scope: str = "weave.openai_agents", **attributes: Any) -> Span:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    return agent_spans.span(number, parent=parent, attributes=span_attributes, scope_name=scope, for_s=20 - number)


def read(**attributes: Any) -> Step | None:
    reading = dialects.read(span(1, **attributes))
    assert reading is None or reading[0] == "weave"
    return reading[1] if reading else None


def test_turn_gives_structure() -> None:
    assert read(weave__openai_agents__turn__number=1, gen_ai__conversation__id="s-1") is None


def test_agents_that_hand_over_are_one_run_of_their_workflow() -> None:
    runs = assemble(
        [
            span(1, weave__openai_agents__task__workflow_name="travel"),
            span(2, parent=1, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="a"),
            span(3, parent=2, weave__openai_agents__handoff__to_agent="b"),
            span(4, parent=1, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="b"),
        ]
    )

    assert [(run.agent_name, run.parent_agent_trace_id is None) for run in runs] == [
        ("travel", True),
        ("a", False),
        ("b", False),
    ]


def test_tools_are_known_by_name() -> None:
    agent = read(gen_ai__operation__name="invoke_agent", weave__openai_agents__agent__tools=["search", "book"])

    assert agent is not None
    assert [tool.name for tool in agent.definitions or ()] == ["search", "book"]


def test_keys_of_its_own_mean_those_of_the_convention() -> None:
    call = read(weave__operation__name="chat", weave__request__model="gpt-4.1-mini", weave__usage__input_tokens=12)

    assert call is not None
    assert (call.request_model, call.usage.input_tokens) == ("gpt-4.1-mini", 12)


def test_thread_is_the_session_of_spans_that_others_write() -> None:
    reading = dialects.read(
        span(1, scope="app", gen_ai__operation__name="invoke_agent", wandb__thread_id="th-1", wandb__is_turn=True)
    )

    assert reading is not None
    assert reading[1].session_id == "th-1"


@pytest.mark.parametrize("value", [7, ["x"], '[{"role"'], ids=["number", "list", "cut off"])
def test_odd_content_makes_no_exception(value: Any) -> None:
    assert read(weave__operation__name="chat", weave__request__model=value, weave__input__messages=value) is not None

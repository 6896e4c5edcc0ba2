from __future__ import annotations

from typing import Any

from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace

ANSWER = [agent_spans.text_message("assistant", "Hi")]
TOKENS = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10}


def inference(number: int, attributes: dict[str, Any], **fields: Any) -> Span:
    return agent_spans.span(number, parent=1, attributes=attributes, **fields)


def run(*spans: Span) -> AgentTrace:
    [found] = assemble([agent_spans.agent(1), *spans])
    return found


def tokens(found: AgentTrace) -> tuple[int, int | None, int | None]:
    return len(found.llm_calls), found.input_tokens, found.output_tokens


def test_span_with_nothing_but_the_tokens_of_a_call_beside_it_counts_nothing() -> None:
    assert tokens(run(agent_spans.chat(2, parent=1, at_s=1, says=ANSWER), inference(3, TOKENS, at_s=2))) == (1, 100, 10)


def test_tokens_beside_calls_that_record_none_are_those_of_the_run() -> None:
    silent = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1", "gen_ai.response.id": "r1"}
    span_attributes = {**TOKENS, "gen_ai.request.model": "gpt-4.1"}
    assert tokens(
        run(inference(2, silent, at_s=1), inference(3, span_attributes, at_s=2), inference(4, span_attributes, at_s=3))
    ) == (
        1,
        200,
        20,
    )


def test_call_with_a_model_and_tokens_is_a_call_where_others_have_theirs() -> None:
    span_attributes = {**TOKENS, "gen_ai.request.model": "gpt-4.1"}
    assert tokens(run(agent_spans.chat(2, parent=1, at_s=1, says=ANSWER), inference(3, span_attributes, at_s=2))) == (
        2,
        200,
        20,
    )


def test_calls_are_calls_where_no_content_is_recorded() -> None:
    assert tokens(run(inference(2, TOKENS, at_s=1), inference(3, TOKENS, at_s=2))) == (2, 200, 20)


def test_tokens_of_a_workflow_are_those_of_the_only_run_within_it() -> None:
    workflow = agent_spans.span(9, for_s=20, attributes={"gen_ai.operation.name": "invoke_workflow", **TOKENS})
    silent, counted = agent_spans.agent(1, parent=9), agent_spans.chat(2, parent=1, at_s=1, says=ANSWER)
    other = agent_spans.agent(3, parent=9, name="hotel", at_s=12, for_s=2)

    assert [(run.input_tokens, run.output_tokens) for run in assemble([workflow, silent])] == [(100, 10)]
    assert [run.input_tokens for run in assemble([workflow, silent, counted])] == [100]
    assert {run.input_tokens for run in assemble([workflow, silent, other]) if run.parent_agent_trace_id} == {None}

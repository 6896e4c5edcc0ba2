"""Did the run come to its end, with an answer?"""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.checks.run_completion import RunCompletion
from tracegrade.evaluators.model import (
    AgentTrace,
    GenericPart,
    LlmCall,
    Message,
    Score,
    TextPart,
    ToolCall,
    ToolCallPart,
)

QUESTION = Message(role="user", parts=(TextPart(content="Book a hotel"),))
ANSWER = Message(role="assistant", parts=(TextPart(content="It is booked."),), span_id="m1")
ASKING = Message(role="assistant", parts=(ToolCallPart(name="book"),), span_id="m1")
MODEL = LlmCall(span_id="m1", finish_reasons=("stop",))


def answered(**fields: Any) -> AgentTrace:
    """A run that answered."""
    usual = {"messages": (QUESTION, ANSWER), "final_response": "It is booked.", "llm_calls": (MODEL,)}
    return AgentTrace(**{**usual, **fields})


def score_of(trace: AgentTrace, **options: Any) -> Score:
    return RunCompletion(**options)(trace)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(answered(), id="an answer"),
        pytest.param(answered(final_response="I am sorry, I cannot help with that."), id="a refusal"),
        pytest.param(answered(final_response="For which dates?"), id="a question"),
        pytest.param(answered(tool_calls=(ToolCall(name="book", status="error", error="no"),)), id="a failed call"),
        pytest.param(
            answered(llm_calls=(LlmCall(span_id="m0", error="429", finish_reasons=("length",)), MODEL)), id="a retry"
        ),
        pytest.param(
            answered(
                final_response="", messages=(QUESTION, Message(role="assistant", parts=(GenericPart(kind="image"),)))
            ),
            id="an image",
        ),
        pytest.param(
            answered(
                final_response=None,
                messages=(QUESTION, ASKING),
                tool_calls=(ToolCall(name="final_result", status="not_executed"),),
            ),
            id="structured output through a tool",
        ),
        pytest.param(
            answered(tool_calls=(ToolCall(name="web_search", status="not_executed", id="ws_0123456789abcdef0"),)),
            id="a tool of the provider",
        ),
        pytest.param(
            answered(tool_calls=(ToolCall(name="transfer_to_billing", status="not_executed"),)), id="a hand-over"
        ),
        pytest.param(
            answered(
                final_response=None,
                messages=(QUESTION, ASKING),
                tool_calls=(ToolCall(name="book", status="not_executed", result="Returning structured response: x=1"),),
            ),
            id="structured output that the framework took",
        ),
        pytest.param(
            answered(
                final_response=None,
                messages=(QUESTION, ASKING),
                tool_calls=(
                    ToolCall(name="look", result="ok"),
                    ToolCall(name="Trip", status="not_executed", result="Noted."),
                ),
            ),
            id="a last call that the framework answered in its own words",
        ),
        pytest.param(
            answered(
                final_response='{"city": "Rome"}',
                tool_calls=(
                    ToolCall(name="look", result="ok"),
                    ToolCall(name="Trip", args={"city": "Rome"}, status="not_executed"),
                ),
            ),
            id="an answer that equals the arguments of the last call",
        ),
        pytest.param(
            answered(final_response="500 Internal Server Error means that the server itself failed, not your request."),
            id="words about an error page",
        ),
        pytest.param(
            answered(tool_calls=(ToolCall(name="x", status="not_executed", result="Unknown tool: x"),)),
            id="a call that was answered though it never ran",
        ),
    ],
)
def test_a_run_that_ends_with_an_answer_passes(trace: AgentTrace) -> None:
    score = score_of(trace)
    assert (score.value, score.passed, score.explanation) == (1, True, "the run ended with an answer")


FAILING = {
    "error": answered(error="RateLimitError: 429", final_response=None),
    "cut_off": answered(llm_calls=(LlmCall(finish_reasons=("max_tokens",)),)),
    "content_filter": answered(llm_calls=(LlmCall(finish_reasons=("content-filter",)),)),
    "unexecuted_call": answered(
        final_response=None, messages=(QUESTION, ASKING), tool_calls=(ToolCall(name="book", status="not_executed"),)
    ),
    "gave_up": answered(final_response="Agent stopped due to max iterations."),
    "error_answer": answered(final_response="openai.APIConnectionError: Connection error."),
    "empty_answer": answered(final_response=" \n", messages=(QUESTION,)),
    "no_answer": answered(
        final_response=None, messages=(QUESTION, ASKING), tool_calls=(ToolCall(name="book", result="ok"),)
    ),
}


@pytest.mark.parametrize(
    "answer",
    [
        "Internal Server Error",
        "502 Bad Gateway",
        "An error occurred while processing your request. Please try again later.",
        "An unexpected error occurred.",
        "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
        '{"error": {"message": "The server had an error", "type": "server_error"}}',
    ],
)
def test_an_error_page_is_no_answer(answer: str) -> None:
    assert score_of(answered(final_response=answer)).label == "error_answer"


@pytest.mark.parametrize(
    "error",
    ["GraphRecursionError: Recursion limit of 25 reached", "MaxTurnsExceeded: Max turns (10) exceeded"],
)
def test_a_limit_of_the_framework_is_named_with_its_words(error: str) -> None:
    score = score_of(answered(error=error, final_response=None))
    assert (score.label, score.explanation) == ("limit", f"the run reached a limit of steps or usage: {error} (limit)")


def test_the_last_output_is_empty_where_others_are_recorded() -> None:
    result = Message(role="tool", parts=(TextPart(content="ok"),), span_id="m2")
    silent = LlmCall(span_id="m2", finish_reasons=("stop",), output_tokens=3)
    trace = answered(final_response=None, messages=(QUESTION, ASKING, result), llm_calls=(MODEL, silent))
    assert score_of(trace).label == "no_answer"
    unrecorded = answered(
        final_response=None,
        messages=(QUESTION, ASKING.model_copy(update={"span_id": "m2"}), result),
        llm_calls=(MODEL, LlmCall(span_id="m3", output_tokens=3)),
    )
    assert score_of(unrecorded).reason == "the answer was not recorded"


@pytest.mark.parametrize("rule", FAILING)
def test_a_run_that_does_not_come_to_its_end_fails_by_a_rule_that_can_be_switched_off(rule: str) -> None:
    score = score_of(FAILING[rule])
    assert (score.value, score.passed, score.label) == (0, False, rule)
    assert f"({rule})" in str(score.explanation)
    assert score_of(FAILING[rule], **{rule: False}).label != rule


@pytest.mark.parametrize(
    "reason", ["length", "MAX_TOKENS", "FinishReason.MAX_TOKENS", "max_output_tokens", "token_limit"]
)
def test_a_limit_of_length_is_recognised_in_the_words_of_providers(reason: str) -> None:
    assert score_of(answered(llm_calls=(LlmCall(finish_reasons=(reason,)),))).label == "cut_off"


@pytest.mark.parametrize(
    "reason", ["content_filter", "SAFETY", "RECITATION", "guardrail_intervened", "PROHIBITED_CONTENT"]
)
def test_a_content_filter_is_recognised_in_the_words_of_providers(reason: str) -> None:
    assert score_of(answered(llm_calls=(LlmCall(finish_reasons=(reason,)),))).label == "content_filter"


def test_the_explanation_quotes_the_error_in_one_line_of_bounded_length() -> None:
    score = score_of(answered(error="RuntimeError: backend\nunavailable " + "x" * 1_000))
    assert str(score.explanation).startswith("the run ended in an error: RuntimeError: backend unavailable xxx")
    assert len(str(score.explanation)) < 300
    assert "\n" not in str(score.explanation)


def test_the_failure_of_the_last_model_call_is_that_of_the_run() -> None:
    failed = LlmCall(error="RateLimitError: 429")
    assert score_of(answered(final_response=None, llm_calls=(MODEL, failed))).label == "error"
    assert score_of(answered(llm_calls=(failed, MODEL))).passed is True


def test_a_call_beside_executed_ones_that_was_never_executed_fails_though_there_is_an_answer() -> None:
    calls = (ToolCall(name="look", result="ok"), ToolCall(name="refund", status="not_executed"))
    score = score_of(answered(tool_calls=calls))
    assert score.explanation == "asked for and never executed: refund (unexecuted_call)"
    assert score_of(answered(tool_calls=calls[1:])).passed is True


def test_a_sub_agent_answers_for_its_own_calls() -> None:
    call = ToolCall(name="refund", status="not_executed", child_agent_trace_id="child")
    assert score_of(answered(final_response=None, messages=(QUESTION, ANSWER), tool_calls=(call,))).passed is True


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        pytest.param(answered(interrupt="delete_backups", error="x"), "the run waits for a person", id="an approval"),
        pytest.param(
            answered(final_response=None, tool_calls=(ToolCall(name="transfer_to_human_agents", result="ok"),)),
            "the run was handed to a person",
            id="a hand-over to a person",
        ),
        pytest.param(answered(completeness="partial", error="x"), "the run is partial", id="a partial run"),
        pytest.param(
            answered(gaps=("no_agent_span",), error="x", tool_calls=(ToolCall(name="book", status="not_executed"),)),
            "no_agent_span",
            id="a single model call",
        ),
        pytest.param(
            answered(
                final_response=None,
                messages=(QUESTION, ASKING, QUESTION, ASKING),
                gaps=("no_agent_span",),
                llm_calls=(MODEL, MODEL),
                tool_calls=(ToolCall(name="look", result="ok"), ToolCall(name="book", status=None)),
            ),
            "no_agent_span",
            id="a loop without agent span that ends with an open call",
        ),
        pytest.param(
            answered(final_response=None, messages=(), gaps=("content_not_captured",)),
            "the answer was not recorded",
            id="no content",
        ),
        pytest.param(
            answered(final_response=None, messages=(QUESTION,)), "the answer was not recorded", id="no output recorded"
        ),
        pytest.param(
            answered(final_response="", messages=(Message(role="user"), Message(role="assistant"))),
            "the answer was not recorded",
            id="messages without contents",
        ),
    ],
)
def test_what_nobody_can_decide_is_skipped_with_the_reason(trace: AgentTrace, reason: str) -> None:
    score = score_of(trace)
    assert (score.status, score.value, score.passed, score.reason) == ("skipped", None, None, reason)


def test_a_transfer_of_money_is_no_hand_over() -> None:
    transfer = ToolCall(name="transfer_to_savings", args={"amount": 5}, result="ok")
    assert score_of(answered(final_response=None, messages=(QUESTION, ASKING), tool_calls=(transfer,))).passed is False


def test_a_model_that_wrote_nothing_answered_nothing() -> None:
    silent = LlmCall(span_id="m2", finish_reasons=("stop",), output_tokens=0)
    trace = answered(final_response=None, messages=(QUESTION, ASKING), llm_calls=(MODEL, silent))
    assert score_of(trace).label == "no_answer"


def test_an_error_counts_though_no_content_is_recorded() -> None:
    trace = answered(final_response=None, messages=(), gaps=("content_not_captured",), error="APIError: 500")
    assert score_of(trace).label == "error"


def test_a_hand_over_to_a_person_that_failed_is_none() -> None:
    call = ToolCall(name="transfer_to_human", status="error", error="nobody is there")
    assert score_of(answered(tool_calls=(call,))).passed is True


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"error": "RuntimeError: too many turns", "final_response": None}, id="it ended in an error"),
        pytest.param({"messages": (QUESTION, ASKING, ANSWER)}, id="it went on and answered"),
    ],
)
def test_loop_without_agent_span_is_evaluated_where_its_end_is_known(fields: dict[str, Any]) -> None:
    open_call = ToolCall(name="book", status=None)
    run = answered(gaps=("no_agent_span",), llm_calls=(MODEL, MODEL), messages=(QUESTION, ASKING))
    trace = run.model_copy(update={"tool_calls": (ToolCall(name="look", result="ok"), open_call), **fields})
    score = score_of(trace)
    assert (score.status, score.value) == ("scored", 0.0 if trace.error else 1.0)

from __future__ import annotations

import pytest
from tests.support import agent_spans, otlp

from tracegrade.collector.assembly import assemble
from tracegrade.collector.otlp.decode import LOG_COLUMNS, decode_logs
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.values import GAPS

AGENT, ASKING, TOOL, ANSWERING = agent_spans.trip()


def gaps(*spans: Span, conflict_on: int | None = None) -> set[str]:
    record = otlp.log(conflict_on or 0, event_name="tracegrade.conflicting_span")
    rows = decode_logs(otlp.logs_request([record] if conflict_on else [])).rows
    [run] = assemble(spans, [dict(zip(LOG_COLUMNS, row, strict=True)) for row in rows])
    return set(run.gaps)


def test_whole_run_has_no_gap() -> None:
    assert gaps(*agent_spans.trip()) == set()


CALL_ALONE = agent_spans.chat(2, says=[agent_spans.text_message("assistant", "Hi")])
CALL_BELOW = agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.text_message("assistant", "Hi")])


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([CALL_ALONE], {"no_agent_span"}, id="model-call"),
        pytest.param(
            [agent_spans.span(1, for_s=9, kind="server"), CALL_BELOW], {"no_agent_span"}, id="below-a-request"
        ),
        pytest.param(
            [agent_spans.span(1, for_s=9, attributes={"gen_ai.operation.name": "invoke_workflow"}), CALL_BELOW],
            set(),
            id="below-a-workflow",
        ),
        pytest.param([AGENT, CALL_BELOW], set(), id="below-an-agent"),
    ],
)
def test_run_without_an_agent_or_workflow_around_it_says_so(spans: list[Span], expected: set[str]) -> None:
    assert gaps(*spans) == expected


def test_span_that_only_stands_for_a_run_says_so() -> None:
    standing_in = agent_spans.agent(1, attributes={GAPS: ["no_agent_span"]})
    asking = agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.tool_call_message(("c1", "search", {}))])
    [run] = assemble([standing_in, asking])
    assert run.gaps == ("no_agent_span",)
    assert [call.status for call in run.tool_calls] == [None]


def test_run_of_which_only_the_names_of_tools_are_recorded_has_no_content() -> None:
    asking = agent_spans.chat(2, parent=1, at_s=1, says=[{"role": "assistant", "tool_calls": [{"name": "search"}]}])

    assert gaps(AGENT, asking) == {"content_not_captured", "tool_arguments_not_captured"}


@pytest.mark.parametrize(
    ("spans", "gap"),
    [
        pytest.param([AGENT, agent_spans.chat(2, parent=1, at_s=1)], "content_not_captured", id="no-messages"),
        pytest.param(
            [AGENT, agent_spans.tool(3, parent=1, result="x")], "tool_arguments_not_captured", id="no-arguments"
        ),
        pytest.param([AGENT, agent_spans.tool(3, parent=1, args={})], "tool_results_not_captured", id="no-result"),
        pytest.param(
            [AGENT, agent_spans.tool(3, parent=9, args={}, result="x", at_s=1)], "missing_parent", id="no-parent"
        ),
        pytest.param([AGENT, TOOL, agent_spans.tool(3, "other", at_s=9)], "conflicting_span", id="two-of-one-id"),
        pytest.param(
            [agent_spans.agent(1, parent=2), agent_spans.span(2, parent=1, at_s=1)], "cyclic_parents", id="loop"
        ),
        pytest.param(
            [agent_spans.agent(1, attributes={GAPS: ["end_before_start"]}), TOOL],
            "end_before_start",
            id="odd-agent-span",
        ),
        pytest.param(
            [AGENT, agent_spans.tool(3, parent=1, args={}, result="x", attributes={GAPS: ["dropped_by_exporter"]})],
            "dropped_by_exporter",
            id="odd-tool-span",
        ),
        pytest.param(
            [
                AGENT,
                agent_spans.chat(
                    2,
                    parent=1,
                    at_s=1,
                    hears=[agent_spans.text_message("user", "<elided>"), agent_spans.text_message("user", "Hi")],
                ),
            ],
            "redacted",
            id="message-left-out",
        ),
        pytest.param(
            [AGENT, agent_spans.tool(3, parent=1, args={}, result='[{"flight": "AF007", "seats": [' + "12, " * 40)],
            "truncated",
            id="result-cut-off",
        ),
        pytest.param(
            [
                AGENT,
                agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.text_message("assistant", "Hi")]),
                agent_spans.chat(4, parent=1, at_s=3, attributes={"gen_ai.input.messages": '[{"role": "user", "par'}),
            ],
            "truncated",
            id="messages-cut-off",
        ),
        pytest.param(
            [
                AGENT,
                agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.text_message("assistant", "Hi")]),
                agent_spans.chat(4, parent=1, at_s=3, attributes={"gen_ai.input.messages": "hello"}),
            ],
            "unreadable_content",
            id="messages-in-no-known-form",
        ),
        pytest.param(
            [*agent_spans.trip(), agent_spans.tool(9, parent=1, at_s=7, attributes={"openinference.span.kind": "LLM"})],
            "contradictory_kinds",
            id="model-and-tool",
        ),
        pytest.param(
            [
                *agent_spans.trip(),
                agent_spans.tool(9, parent=1, at_s=7, args={}, result="x", attributes={"traceloop.span.kind": "agent"}),
            ],
            "contradictory_kinds",
            id="tool-and-agent",
        ),
        pytest.param(
            [
                *agent_spans.trip(),
                agent_spans.chat(9, parent=1, at_s=7, attributes={"gen_ai.input.messages_ref": "s3://b/1.json"}),
            ],
            "content_elsewhere",
            id="uploaded-content",
        ),
    ],
)
def test_what_is_missing_or_odd_is_named(spans: list[Span], gap: str) -> None:
    assert gaps(*spans) == {gap}


def test_run_without_a_model_call_is_not_said_to_lack_its_messages() -> None:
    assert gaps(AGENT, TOOL) == set()


def test_call_that_failed_or_never_ran_is_not_said_to_lack_its_result() -> None:
    failed = agent_spans.tool(3, parent=1, at_s=3, args={"to": "Paris"}, call_id="call_1", status_code="error")
    assert gaps(AGENT, ASKING, failed) == set()


def test_span_that_came_again_with_other_content_is_a_gap_of_its_run() -> None:
    assert gaps(*agent_spans.trip(), conflict_on=3) == {"conflicting_span"}
    assert gaps(*agent_spans.trip(), conflict_on=9) == set()


def test_value_under_our_own_key_that_is_no_list_is_passed_over() -> None:
    assert gaps(agent_spans.agent(1, attributes={GAPS: "all of it"}), TOOL) == set()


def test_message_of_which_everything_was_left_out_is_no_content() -> None:
    told = agent_spans.chat(2, parent=1, at_s=1, hears=[agent_spans.text_message("user", "[REDACTED]")])
    assert gaps(AGENT, told) == {"content_not_captured", "redacted"}


def test_short_arguments_that_the_model_wrote_wrong_are_not_said_to_be_cut_off() -> None:
    assert gaps(AGENT, agent_spans.tool(3, parent=1, args='{"to": "Paris', result="x")) == set()

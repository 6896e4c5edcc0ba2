"""Runs that no span is around: model calls that show one loop, and spans whose agent never came."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.agent_spans import text_message, tool_call_message, tool_response_message

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span

QUESTION, OTHER = text_message("user", "Paris?"), text_message("user", "Rome?")
CALL, RESULT = tool_call_message(("c1", "search", {"to": "Paris"})), tool_response_message("c1", "AF007")
ANSWER = text_message("assistant", "Take AF007.")
GONE = 0xF0E


def sizes(*spans: Span) -> list[tuple[int, int]]:
    """For each run how many calls it made of models and of tools."""
    return [(len(run.llm_calls), len(run.trajectory)) for run in assemble(spans)]


def asks(number: int, **more: Any) -> Span:
    return agent_spans.chat(number, **{"at_s": number, "hears": [QUESTION], "says": [CALL], **more})


def answers(number: int, **more: Any) -> Span:
    return agent_spans.chat(number, **{"at_s": number, "hears": [QUESTION, CALL, RESULT], "says": [ANSWER], **more})


def test_model_calls_of_one_loop_are_one_run() -> None:
    [run] = assemble([asks(1), answers(2)])
    assert (run.input, run.final_response, run.gaps) == ("Paris?", "Take AF007.", ("no_agent_span",))
    assert [(call.id, call.status, call.result) for call in run.tool_calls] == [("c1", "ok", "AF007")]
    assert run.duration_ms == 2000.0
    assert run.completeness == "complete"


@pytest.mark.parametrize(
    ("later", "is_one"),
    [
        pytest.param({"hears": [RESULT]}, True, id="only-answers-the-call"),
        pytest.param({"hears": [QUESTION, CALL, RESULT]}, True, id="repeats-the-messages"),
        pytest.param({"hears": [OTHER]}, False, id="was-asked-something-else"),
        pytest.param({"hears": [QUESTION]}, False, id="was-asked-the-same"),
        pytest.param({"hears": None}, False, id="does-not-tell"),
    ],
)
def test_later_call_is_of_the_same_loop_when_its_input_shows_it(later: dict[str, Any], *, is_one: bool) -> None:
    assert len(assemble([asks(1), answers(2, **later)])) == (1 if is_one else 2)


def test_loop_of_text_alone_is_one_run() -> None:
    """An agent that reads actions out of texts puts what it saw into the user's mouth."""
    action, seen = text_message("assistant", "Action: search[Paris]"), text_message("user", "Observation: AF007")
    first = asks(1, says=[action])
    assert sizes(first, answers(2, hears=[QUESTION, action, seen])) == [(2, 0)]


def test_call_that_failed_and_was_made_again_is_of_the_same_run() -> None:
    failed = asks(1, says=None, status_code="error", status_message="429")
    [run] = assemble([failed, answers(2, hears=[QUESTION])])
    assert (run.error, run.final_response) == (None, "Take AF007.")


def test_two_loops_side_by_side_are_two_runs() -> None:
    other = tool_call_message(("c2", "search", {"to": "Rome"}))
    runs = sizes(
        asks(1),
        asks(2, hears=[OTHER], says=[other]),
        answers(3),
        answers(4, hears=[OTHER, other, tool_response_message("c2", "AZ1")]),
    )
    assert runs == [(2, 1), (2, 1)]


def test_two_loops_side_by_side_are_two_runs_where_their_calls_have_the_same_id() -> None:
    other = tool_call_message(("c1", "search", {"to": "Rome"}))
    runs = assemble(
        [
            asks(1),
            asks(2, hears=[OTHER], says=[other]),
            answers(3),
            answers(4, hears=[OTHER, other, tool_response_message("c1", "AZ1")]),
        ]
    )
    assert [[(call.args, call.result) for call in run.tool_calls] for run in runs] == [
        [({"to": "Paris"}, "AF007")],
        [({"to": "Rome"}, "AZ1")],
    ]


def test_loop_beside_an_agent_is_a_run_beside_its_run() -> None:
    root = agent_spans.span(90, for_s=60)
    loop = [asks(21, parent=90), answers(22, parent=90)]
    assert sizes(root, *agent_spans.trip(parent=90), *loop) == [(2, 1), (2, 1)]


def test_tool_span_belongs_to_the_loop_that_asked_for_the_call() -> None:
    ran = agent_spans.tool(2, at_s=2, call_id="c1", result="AF007", parent=GONE, parent_is_remote=True)
    elsewhere = {"parent": GONE, "parent_is_remote": True}
    [run] = assemble([asks(1, **elsewhere), ran, answers(3, **elsewhere)])
    assert [(call.source, call.status) for call in run.tool_calls] == [("both", "ok")]


def test_spans_that_name_the_same_missing_parent_are_one_partial_run() -> None:
    """The program was killed before its agent's span had ended."""
    pieces = [
        asks(1, parent=GONE),
        agent_spans.tool(2, at_s=2, parent=GONE, call_id="c1", result="AF007"),
        answers(3, parent=GONE, says=[tool_call_message(("c2", "book", {}))]),
        agent_spans.tool(4, "book", at_s=9, parent=GONE, call_id="c2", result="done"),
    ]
    [run] = assemble(pieces)
    assert (run.completeness, run.gaps) == ("partial", ("missing_parent", "no_agent_span"))
    assert [(call.id, call.status) for call in run.tool_calls] == [("c1", "ok"), ("c2", "ok")]


def test_workflows_under_one_missing_parent_are_runs_of_their_own() -> None:
    workflows = [
        agent_spans.span(
            number, parent=GONE, at_s=number, for_s=5, attributes={"gen_ai.operation.name": "invoke_workflow"}
        )
        for number in (10, 20)
    ]
    calls = [asks(11, parent=10), asks(21, parent=20, hears=[OTHER])]
    assert sizes(*workflows, *calls) == [(1, 1), (1, 1)]


def test_orphans_of_an_agent_that_never_came_are_a_run_beside_the_others() -> None:
    lost = [asks(31, parent=GONE), answers(32, parent=GONE)]
    runs = assemble([*agent_spans.trip(), *lost])
    assert [(len(run.llm_calls), run.completeness) for run in runs] == [(2, "complete"), (2, "partial")]


def test_pieces_make_the_same_run_in_any_order() -> None:
    spans = [asks(1, parent=GONE), agent_spans.tool(2, at_s=2, parent=GONE, call_id="c1"), answers(3, parent=GONE)]
    fingerprints = {assemble(order)[0].fingerprint for order in permutations(spans)}
    assert len(fingerprints) == 1


@pytest.mark.parametrize(
    ("spans", "status"),
    [
        pytest.param([asks(1)], None, id="model-call-alone"),
        pytest.param([agent_spans.span(9, for_s=9), asks(1, parent=9)], None, id="below-a-request"),
        pytest.param([agent_spans.agent(9), asks(1, parent=9)], "not_executed", id="below-an-agent"),
        pytest.param([asks(1), answers(2)], "ok", id="answered-in-the-trace"),
        pytest.param([asks(1), agent_spans.tool(2, at_s=2, parent=1, call_id="c1")], "ok", id="with-a-span"),
    ],
)
def test_call_that_may_have_run_outside_of_the_trace_has_no_status(spans: list[Span], status: str | None) -> None:
    [call] = assemble(spans)[0].tool_calls
    assert call.status == status

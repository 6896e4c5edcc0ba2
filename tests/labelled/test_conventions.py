"""A story comes out of every convention as the same run: what the labels are about is what the evaluators see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import AgentTrace

from .conventions.catalog import CONVENTIONS
from .export import export
from .story import (
    Agent,
    Fault,
    Story,
    answers,
    asks,
    call,
    crashes,
    hands_off,
    model_fails,
    refused,
    tool,
    unanswered,
    user,
)

SEARCH = tool("search_flights", "Find flights", origin="string", to="string", day="string?")
BOOK = tool("book", "Book a seat", flight="string", seats="integer")
ASK = tool("research", "Ask the researcher", question="string")
TRAVEL = Agent("travel", (SEARCH, BOOK, ASK), "You help travellers.")
FLIGHTS = {"flights": [{"id": "LH1", "price": 99}]}
SEARCHED = call("search_flights", {"origin": "MUC", "to": "FCO"}, FLIGHTS)

pytestmark = pytest.mark.parametrize("convention", CONVENTIONS)


def runs(convention: str, *steps: object, agent: Agent = TRAVEL, **fields: object) -> Sequence[AgentTrace]:
    story = Story("a story", convention, agent, (), (), "for this test", **fields)  # type: ignore[arg-type]
    written = export(replace(story, steps=steps), CONVENTIONS[convention])  # type: ignore[arg-type]
    spans = [Span.from_row(dict(zip(SPAN_COLUMNS, row, strict=True))) for row in decode_spans(written.traces).rows]
    logs = [dict(zip(LOG_COLUMNS, row, strict=True)) for row in decode_logs(written.logs).rows]
    return [
        run
        for trace_id in dict.fromkeys(span.trace_id for span in spans)
        for run in assemble(
            [span for span in spans if span.trace_id == trace_id],
            [log for log in logs if log["trace_id"] == trace_id],
        )
    ]


def test_question_calls_results_and_answer_come_out(convention: str) -> None:
    booked = call("book", {"flight": "LH1", "seats": 2}, "booked ✓")
    (run,) = runs(convention, user("Nach Rom?"), asks(SEARCHED, booked), answers("Gebucht."))

    assert (run.agent_name, run.input, run.final_response, run.error) == ("travel", "Nach Rom?", "Gebucht.", None)
    assert run.completeness == "complete"
    assert [(each.name, each.args, each.status) for each in run.tool_calls] == [
        ("search_flights", {"origin": "MUC", "to": "FCO"}, "ok"),
        ("book", {"flight": "LH1", "seats": 2}, "ok"),
    ]
    assert [each.result for each in run.tool_calls] == ['{"flights": [{"id": "LH1", "price": 99}]}', "booked ✓"]
    assert len(run.llm_calls) == 2


def test_failed_refused_and_unanswered_calls_are_told_apart(convention: str) -> None:
    failed = call("search_flights", {"origin": "MUC", "to": "FCO"}, fault=Fault("TimeoutError", "upstream timed out"))
    unknown = refused("cancel", {"id": 1}, "Unknown tool: cancel")
    lost = unanswered("book", {"flight": "LH1", "seats": 1})
    (run,) = runs(convention, user("Nach Rom?"), asks(failed), asks(unknown), asks(lost))

    assert [each.status for each in run.tool_calls] == ["error", "not_executed", "not_executed"]
    assert "upstream timed out" in (run.tool_calls[0].error or "")
    assert [each.result for each in run.tool_calls[1:]] == ["Unknown tool: cancel", None]
    assert run.final_response is None


def test_crash_is_the_error_of_the_run(convention: str) -> None:
    (run,) = runs(
        convention, user("Hallo"), model_fails("RateLimitError", "429 quota"), crashes("RateLimitError", "429 quota")
    )

    assert "429 quota" in (run.error or "")
    assert "429 quota" in (run.llm_calls[0].error or "")


def test_answer_that_was_cut_off_keeps_its_reason(convention: str) -> None:
    (run,) = runs(convention, user("Erzähl"), answers("Es war ein", "length"))

    assert run.llm_calls[-1].finish_reasons == ("length",)


def test_second_turn_is_a_run_of_the_same_session(convention: str) -> None:
    first, second = runs(
        convention, user("Hallo"), answers("Guten Tag"), user("Flüge?"), asks(SEARCHED), answers("Einer.")
    )

    assert first.session_id == second.session_id is not None
    assert (second.input, second.final_response) == ("Flüge?", "Einer.")
    assert [len(run.tool_calls) for run in (first, second)] == [0, 1]


def test_sub_agent_is_a_run_below_its_tool(convention: str) -> None:
    researcher = Agent("researcher", (SEARCH,))
    asked = call("research", {"question": "Rom?"}, "Schön", agent=researcher, steps=(asks(SEARCHED), answers("Schön")))
    outer, inner = runs(convention, user("Vergleich?"), asks(asked), answers("Fahr nach Rom."))

    assert inner.parent_agent_trace_id == outer.agent_trace_id
    assert (inner.agent_name, inner.input, inner.final_response) == ("researcher", "Rom?", "Schön")


def test_hand_off_has_a_run_for_each_agent(convention: str) -> None:
    found = runs(
        convention, user("Rechnung"), hands_off(Agent("billing", (BOOK,))), asks(SEARCHED), answers("Erledigt.")
    )

    assert {"travel", "billing"} <= {run.agent_name for run in found}
    assert [run.final_response for run in found if run.agent_name == "billing"] == ["Erledigt."]


def test_content_that_is_not_captured_is_not_recorded(convention: str) -> None:
    (run,) = runs(convention, user("Nach Rom?"), asks(SEARCHED), answers("Gebucht."), has_content=False)

    assert [(each.name, each.args, each.result) for each in run.tool_calls] == [("search_flights", None, None)]
    assert run.gaps

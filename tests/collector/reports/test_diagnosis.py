from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.support import agent_spans

from tracegrade.collector.reports.diagnosis import MEANINGS, Diagnosis, diagnose, summarize_lacks
from tracegrade.collector.spans.span import Span

PAGE = Path(__file__).parents[3] / "collector" / "docs" / "runs.md"


def remedies(*spans: Span) -> set[str]:
    return {lack.remedy for lack in summarize_lacks([diagnose(spans)])}


def test_every_span_is_shown_below_its_parent_with_what_it_was_taken_for() -> None:
    agent, chat, *rest = agent_spans.trip()
    diagnosis = diagnose([*rest, agent_spans.span(9, name="redis GET", parent=3, at_s=3.5), chat, agent])
    assert [(span.depth, span.dialect, span.kind) for span in diagnosis.spans] == [
        (0, "genai", "agent"),
        (1, "genai", "model"),
        (1, "genai", "tool"),
        (2, None, None),
        (1, "genai", "model"),
    ]


def test_missing_content_is_told_with_the_setting_of_the_framework() -> None:
    silent = [agent_spans.agent(1, attributes={"session.id": "s"}), agent_spans.chat(2, parent=1, at_s=1)]
    assert remedies(*silent) == {"turn on content: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only"}


def test_runs_that_lack_the_same_are_counted_together() -> None:
    counted = summarize_lacks([diagnose(agent_spans.trip(trace)) for trace in (1, 2, 3)])
    assert {(lack.description, lack.runs) for lack in counted} == {
        ("the tools that were offered, with their schemas", 3),
        ("the conversation that a run belongs to", 3),
    }


def test_trace_that_tells_everything_lacks_nothing() -> None:
    attributes = {"gen_ai.conversation.id": "s", "gen_ai.tool.definitions": '[{"name": "search", "parameters": {}}]'}
    spans = [replace(span, attributes={**span.attributes, **attributes}) for span in agent_spans.trip()]
    assert summarize_lacks([diagnose(spans)]) == []


def test_trace_without_an_agent_has_its_spans_and_no_run() -> None:
    assert diagnose([agent_spans.span(1)]) == Diagnosis(spans=diagnose([agent_spans.span(1)]).spans, runs=())


def test_every_gap_that_the_manual_names_has_a_meaning_and_the_other_way_round() -> None:
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition("## Gaps\n")[2].partition("\n## ")[0]
    documented = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    assert documented == set(MEANINGS)


def test_package_that_sends_content_as_log_events_is_told_to_export_logs() -> None:
    silent = agent_spans.chat(1, attributes={"session.id": "s"}, scope_name="opentelemetry.instrumentation.openai_v2")
    (remedy,) = (
        lack.remedy for lack in summarize_lacks([diagnose([silent])]) if lack.description.startswith("what was said")
    )
    assert "CONTENT=true" in remedy
    assert "OTEL_LOGS_EXPORTER=otlp" in remedy


def test_package_that_records_content_but_no_tools_leaves_it_to_the_references() -> None:
    (remedy,) = (
        lack.remedy
        for lack in summarize_lacks([diagnose(agent_spans.trip())])
        if lack.description.startswith("the tools")
    )
    assert "`tools`" in remedy
    assert "`references`" in remedy


def test_run_without_a_model_call_lacks_the_instrumentation_of_the_model_client() -> None:
    called = [
        agent_spans.agent(1, attributes={"session.id": "s"}),
        agent_spans.tool(2, parent=1, at_s=1, args={}, result="x"),
    ]
    (lack,) = summarize_lacks([diagnose(called)])
    assert lack.description.startswith("the calls of the model")
    assert "openinference-instrumentation-openai" in lack.remedy


def test_agent_whose_sub_agent_calls_the_model_does_not_lack_it() -> None:
    boss = agent_spans.agent(1, name="boss", attributes={"session.id": "s"}, for_s=20)
    handed = agent_spans.tool(2, "travel", parent=1, args={}, result="x", at_s=1, for_s=15)
    team = [boss, handed, *agent_spans.trip(first=11, parent=2)]
    assert not [
        lack for lack in summarize_lacks([diagnose(team)]) if lack.description.startswith("the calls of the model")
    ]


def test_attribute_of_an_unexpected_type_is_named_and_the_rest_is_read() -> None:
    odd = agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.text_message("assistant", "Hi")])
    odd = replace(odd, attributes={**odd.attributes, "gen_ai.usage.input_tokens": "many"})
    diagnosis = diagnose([agent_spans.agent(1), odd])
    (run,) = diagnosis.runs
    assert run.gaps == ("unexpected_value",)
    assert (run.output_tokens, run.final_response) == (10, "Hi")
    assert [span.unread for span in diagnosis.spans] == [(), ("gen_ai.usage.input_tokens",)]

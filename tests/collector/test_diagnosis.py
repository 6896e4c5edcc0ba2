from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import tale

from tracegrade.collector import dialects
from tracegrade.collector.dialect import Dialect
from tracegrade.collector.reports.diagnosis import MEANINGS, Diagnosis, diagnose, lacks
from tracegrade.collector.span import Span

README = Path(__file__).parents[2] / "collector" / "README.md"


def remedies(*spans: Span) -> set[str]:
    return {lack.remedy for lack in lacks([diagnose(spans)])}


def test_every_span_is_shown_below_its_parent_with_what_it_was_taken_for() -> None:
    agent, chat, *rest = tale.trip()
    found = diagnose([*rest, tale.span(9, name="redis GET", parent=3, at_s=3.5), chat, agent])
    assert [(seen.depth, seen.dialect, seen.kind) for seen in found.spans] == [
        (0, "genai", "agent"),
        (1, "genai", "model"),
        (1, "genai", "tool"),
        (2, None, None),
        (1, "genai", "model"),
    ]


def test_missing_content_is_told_with_the_setting_of_the_framework() -> None:
    silent = [tale.agent(1, attributes={"session.id": "s"}), tale.chat(2, parent=1, at_s=1)]
    assert remedies(*silent) == {"turn on content: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only"}


def test_runs_that_lack_the_same_are_counted_together() -> None:
    counted = lacks([diagnose(tale.trip(trace)) for trace in (1, 2, 3)])
    assert {(lack.what, lack.runs) for lack in counted} == {
        ("the tools that were offered, with their schemas", 3),
        ("the conversation that a run belongs to", 3),
    }


def test_trace_that_tells_everything_lacks_nothing() -> None:
    told = {"gen_ai.conversation.id": "s", "gen_ai.tool.definitions": '[{"name": "search", "parameters": {}}]'}
    spans = [replace(span, attributes={**span.attributes, **told}) for span in tale.trip()]
    assert lacks([diagnose(spans)]) == []


def test_trace_without_an_agent_has_its_spans_and_no_run() -> None:
    assert diagnose([tale.span(1)]) == Diagnosis(spans=diagnose([tale.span(1)]).spans, runs=())


def test_every_gap_that_the_readme_names_has_a_meaning_and_the_other_way_round() -> None:
    text = README.read_text(encoding="utf-8")
    section = text.partition("## Gaps of a run")[2].partition("\n## ")[0]
    told = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    assert told == set(MEANINGS)


@pytest.mark.parametrize("dialect", dialects.DIALECTS, ids=lambda one: one.name)
def test_setting_of_a_dialect_stands_in_the_readme(dialect: Dialect) -> None:
    row = next(
        line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{dialect.name}` |")
    )
    assert dialect.content is None or f"`{dialect.content}`" in row
    for mark in (*dialect.scopes, *dialect.keys):
        assert f"`{mark}`" in row

"""An agent says itself what it should have done: what the operator says of it counts before that."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.store import opened

from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.config.settings import load
from tracegrade.collector.config.trust import Source
from tracegrade.collector.references.rules import References
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, Reference, ToolDefinition

RUN = {"agent_name": "travel", "service_name": "tests", "input": "Find a flight to Paris"}
RULE = {"name": "trips", "expected_tool_calls": ["search", "book"]}
TRAJECTORY = [{"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": "{}"}}]}]
NO_CALLS = {"expected_tool_calls": "[]"}


def rules(folder: Path, *written: Any, tools: Any = None, sources: Sequence[Source] | None = None) -> References:
    path = folder / "references.yaml"
    path.write_text(json.dumps({"rules": written, "tools": tools or {}}), encoding="utf-8")
    return References.read(path) if sources is None else References.read(path, sources=sources)


def expected(references: References, **attributes: Any) -> Reference | None:
    """What is expected of a run whose agent span has attributes `tracegrade.<name>`."""
    return references.of(RUN, {f"tracegrade.{name}": value for name, value in attributes.items()}, lambda _: True)


def names(reference: Reference | None) -> list[str] | None:
    calls = None if reference is None else reference.expected_tool_calls
    return None if calls is None else [call.name for call in calls]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"expected_tool_calls": "[]"}, id="no-calls"),
        pytest.param({"expected_tool_calls": "unreadable"}, id="unreadable"),
        pytest.param({"expected_tool_call": "[]"}, id="misspelt"),
        pytest.param({"expected_trajectory": json.dumps(TRAJECTORY)}, id="calls-of-a-trajectory"),
    ],
)
def test_what_a_rule_expects_stands_whatever_the_agent_says(tmp_path: Path, said: dict[str, str]) -> None:
    reference = expected(rules(tmp_path, RULE), **said)
    assert reference is not None
    assert reference == expected(rules(tmp_path, RULE))


def test_calls_of_a_trajectory_that_a_rule_expects_are_not_the_agents_to_say(tmp_path: Path) -> None:
    reference = expected(rules(tmp_path, {"name": "trips", "expected_trajectory": TRAJECTORY}), **NO_CALLS)
    assert names(reference) == ["search"]


def test_tools_that_the_operator_lists_are_not_the_agents_to_say(tmp_path: Path) -> None:
    registry = rules(tmp_path, tools={"*": [{"name": "search"}]})
    reference = expected(registry, tools=json.dumps([{"name": "transfer_money"}]))
    assert reference is not None
    assert [tool.name for tool in reference.tools or ()] == ["search"]


def test_agent_says_what_no_rule_says(tmp_path: Path) -> None:
    reference = expected(rules(tmp_path, RULE), tasks="book a flight", **NO_CALLS)
    assert reference is not None
    assert (names(reference), reference.tasks) == (["search", "book"], ("book a flight",))
    assert reference.source == "rule:trips+attributes"
    assert reference.sources == {"expected_tool_calls": "rule:trips", "tasks": "attributes"}


@pytest.mark.parametrize(
    ("sources", "calls"),
    [
        pytest.param(["attributes", "rule"], [], id="agent-first"),
        pytest.param(["attributes"], [], id="agent-alone"),
        pytest.param(["rule"], ["search", "book"], id="rules-alone"),
        pytest.param(["dataset"], None, id="neither"),
        pytest.param([], None, id="nobody"),
    ],
)
def test_operator_says_who_is_heard(tmp_path: Path, sources: list[Source], calls: list[str] | None) -> None:
    assert names(expected(rules(tmp_path, RULE, sources=sources), **NO_CALLS)) == calls


def test_source_that_is_not_heard_has_no_faults_either(tmp_path: Path) -> None:
    assert expected(rules(tmp_path, sources=["rule"]), expected_tool_calls="unreadable") is None


def test_score_says_in_its_explanation_by_whose_word_it_is(tmp_path: Path) -> None:
    agent, *others = agent_spans.trip()
    spoken = agent_spans.agent(1, attributes={**agent.attributes, "tracegrade.expected_tool_calls": "[]"})
    evaluator = build({"use": "tool_correctness", "only_with_reference": True})
    with opened(tmp_path, references=rules(tmp_path, RULE)) as store:
        store.ledger.enrol([evaluator])
        store.arrive([spoken, *others])
        store.revise(1)
        store.evaluate(evaluator)
        [(value, explanation)] = store.rows("select value, explanation from latest_scores")
    assert value < 1
    assert explanation.endswith("(according to rule:trips)")


@pytest.mark.parametrize(
    ("recorded", "is_told"), [(None, True), ((ToolDefinition(name="search"),), False)], ids=["not-recorded", "recorded"]
)
def test_source_of_tools_is_told_where_they_count(recorded: tuple[ToolDefinition, ...] | None, is_told: bool) -> None:  # noqa: FBT001
    tools = (ToolDefinition(name="search", input_schema={"type": "object", "required": ["to"]}),)
    reference = Reference(tools=tools, sources={"tools": "attributes"})
    run = AgentTrace(tool_calls=({"name": "search", "args": {}},), tool_definitions=recorded, reference=reference)
    [score] = evaluate(build({"use": "tool_call_validity"}), run)
    assert ("(according to attributes)" in (score.explanation or "")) is is_told


def test_setting_orders_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(evaluators=[]).trust.references == ("dataset", "rule", "attributes")
    (tmp_path / "own.yaml").write_text("trust: {references: [attributes, rule]}\n")
    assert load(tmp_path / "own.yaml").trust.references == ("attributes", "rule")
    monkeypatch.setenv("TRACEGRADE_TRUST__REFERENCES", "rule,attributes")
    assert load(evaluators=[]).trust.references == ("rule", "attributes")


@pytest.mark.parametrize(
    ("written", "said"), [("[rules]", "'rule'"), ("[rule, rule]", "write each once")], ids=["unknown", "twice"]
)
def test_source_that_is_none_is_refused(tmp_path: Path, written: str, said: str) -> None:
    (tmp_path / "own.yaml").write_text(f"trust: {{references: {written}}}\n")
    with pytest.raises(BadConfiguration, match=said):
        load(tmp_path / "own.yaml")

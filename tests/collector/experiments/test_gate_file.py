"""A gate in a file; options of the command override it, and a mistake is named with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.experiments.gate_file import Gate, Selection, build_gate
from tracegrade.evaluators.experiments.gate import Thresholds

FILE = """
since: 24h
agent: checkout
min_n: 20
evaluators:
  tool_error: 0.95
  run_completion: {min_pass_rate: 0.9, max_pass_rate_drop: 0.02}
baseline: {agent_version: "1.4"}
"""


def build(folder: Path, text: str, **options: Any) -> Gate:
    path = folder / "gate.yaml"
    path.write_text(text, encoding="utf-8")
    return build_gate(path, options)


def test_gate_is_read_from_a_file(tmp_path: Path) -> None:
    gate = build(tmp_path, FILE)
    assert (gate.since, gate.agent, gate.min_n) == ("24h", "checkout", 20)
    assert gate.evaluators == {
        "tool_error": Thresholds(min_mean=0.95),
        "run_completion": Thresholds(min_pass_rate=0.9, max_pass_rate_drop=0.02),
    }


def test_baseline_is_of_the_same_agent_and_of_any_time(tmp_path: Path) -> None:
    assert build(tmp_path, FILE).selected_baseline == Selection(agent="checkout", agent_version="1.4")
    other = build(tmp_path, FILE.replace("agent_version:", "agent: former, agent_version:"))
    assert other.selected_baseline == Selection(agent="former", agent_version="1.4")
    assert build_gate(None, {"evaluators": {"tool_error": {"min_mean": 1}}}).selected_baseline is None


def test_options_override_the_file_key_by_key(tmp_path: Path) -> None:
    evaluators = {"tool_error": {"min_pass_rate": 0.5}, "polite": {"min_mean": 0.1}}
    gate = build(tmp_path, FILE, since="7d", evaluators=evaluators, baseline={"since": "30d"})
    assert (gate.since, gate.min_n) == ("7d", 20)
    assert gate.evaluators["tool_error"] == Thresholds(min_mean=0.95, min_pass_rate=0.5)
    assert gate.evaluators["polite"] == Thresholds(min_mean=0.1)
    assert gate.baseline == Selection(since="30d", agent_version="1.4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "evaluators: {tool_error: {min_men: 1}}",
            "line 1: evaluators.tool_error.min_men: unknown setting (did",
        ),
        ("sinse: 24h\nevaluators: {tool_error: 1}", "line 1: sinse: unknown setting (did you mean 'since'?)"),
        ("since: someday\nevaluators: {tool_error: 1}", "line 1: since: 'someday' is not a time; write 2026-11-22"),
        ("evaluators: {tool_error: 1.5}", "evaluators.tool_error.min_mean: it is 1.5; write 1 or less"),
        ("evaluators: {tool_error: {max_mean_drop: 0.1}}", "evaluators.tool_error.max_mean_drop needs a baseline"),
        ("evaluators: {tool_error: {min_n: 3}}", "write at least one of min_mean, min_pass_rate"),
        ("evaluators: {}", "evaluators: it is empty"),
        ("since: 1d", "gate.yaml, line 1: evaluators: it is missing"),
        ("evaluators: {tool_error: 1}\nbaseline: {}", "gate.yaml, line 1: baseline: it is empty, so it has the scores"),
        ("- a", "a gate is a mapping with `evaluators`"),
        ("evaluators: {tool_error: {min_mean: [}", "not valid YAML"),
    ],
)
def test_mistake_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadConfiguration) as caught:
        build(tmp_path, text)
    assert message in str(caught.value)


def test_mistake_in_options_has_no_place() -> None:
    with pytest.raises(BadConfiguration, match=r"^evaluators\.tool_error\.max_mean_drop needs a baseline"):
        build_gate(None, {"evaluators": {"tool_error": {"max_mean_drop": 0.1}}})

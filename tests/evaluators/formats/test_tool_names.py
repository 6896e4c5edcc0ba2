from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.formats.tool_names import ToolNames, normalize_tool_name
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, ToolCall


@pytest.mark.parametrize(
    ("name", "mixed4", "any4"),
    [
        pytest.param("sql_agent_xg7c", "sql_agent", "sql_agent", id="letters and digits"),
        pytest.param("sql_agent_nxle", "sql_agent_nxle", "sql_agent", id="letters alone"),
        pytest.param("sql_agent_1234", "sql_agent_1234", "sql_agent", id="digits alone"),
        pytest.param("load_data", "load_data", "load", id="a word of four letters"),
        pytest.param("load_utf8", "load", "load", id="a real name that looks like chance"),
        pytest.param("tool_XG7C", "tool_XG7C", "tool_XG7C", id="upper case"),
        pytest.param("tool_a1b", "tool_a1b", "tool_a1b", id="three characters"),
        pytest.param("tool_a1b2c", "tool_a1b2c", "tool_a1b2c", id="five characters"),
        pytest.param("tool-a1b2", "tool-a1b2", "tool-a1b2", id="a hyphen"),
        pytest.param("tool_a1b2_c3d4", "tool_a1b2", "tool_a1b2", id="only the last is cut"),
        pytest.param("_a1b2", "", "", id="nothing else"),
        pytest.param("", "", "", id="empty"),
    ],
)
def test_two_patterns_each_with_its_own_mistakes(name: str, mixed4: str, any4: str) -> None:
    assert (normalize_tool_name(name, "mixed4"), normalize_tool_name(name, "any4")) == (mixed4, any4)


@given(st.text())
def test_nothing_is_cut_unless_asked_for(name: str) -> None:
    assert normalize_tool_name(name) == name


@given(st.text(alphabet="ab1_-Z"), st.sampled_from(["mixed4", "any4", r"-\d+"]))
def test_what_is_left_is_the_beginning(name: str, suffix: str) -> None:
    assert name.startswith(normalize_tool_name(name, suffix))


def test_a_pattern_of_ones_own_is_for_the_whole_ending() -> None:
    assert normalize_tool_name("fetch-0af7", r"-[0-9a-f]{4}") == "fetch"
    assert normalize_tool_name("fetch-0af7-x", r"-[0-9a-f]{4}") == "fetch-0af7-x"
    assert normalize_tool_name("searchTool", "(?:Tool)") == "search"
    assert normalize_tool_name("a_b" * 100 + "#1", r"#\d") == "a_b" * 100


@pytest.mark.parametrize(
    ("suffix", "fault"),
    [
        pytest.param("", "of 1 to 100 characters", id="empty"),
        pytest.param(
            "mixed5", "'mixed5' is not a known suffix .did you mean 'mixed4'.*; write mixed4, any4", id="misspelt"
        ),
        pytest.param("Tool", r"the word itself: \(\?:Tool\)", id="a bare word"),
        pytest.param("x" * 101, "of 1 to 100 characters", id="too long"),
        pytest.param("_(a+)+b", "repeats a group", id="a repeated group"),
        pytest.param(r"(a|aa|\\)+b", "repeats a group", id="a repeated group that ends in a backslash"),
        pytest.param("a?a?a?a?a?b", "more than 4", id="too many quantifiers"),
        pytest.param("_[a-z", "not a regular expression", id="no expression"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_at_once(suffix: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        normalize_tool_name("tool_a1b2", suffix)
    with pytest.raises(ValueError, match=fault):
        ToolNames(suffix=suffix)


def test_a_hostile_name_costs_no_time() -> None:
    assert normalize_tool_name("a" * 1_000_000 + "!", r"a*a*a*a*b") == "a" * 1_000_000 + "!"


def test_both_sides_are_written_alike_and_the_run_keeps_its_names() -> None:
    reference = Reference(expected_tool_calls=(ExpectedCall(name="sql_zor2"),))
    run = AgentTrace(tool_calls=(ToolCall(name="sql_xg7c"), ToolCall(name="_a1b2")), reference=reference)
    seen = ToolNames.model_validate("mixed4").applied(run)
    assert [call.name for call in seen.tool_calls] == ["sql", "_a1b2"]
    assert seen.reference is not None
    assert seen.reference.expected_tool_calls == (ExpectedCall(name="sql"),)
    assert [call.name for call in run.tool_calls] == ["sql_xg7c", "_a1b2"]


def test_a_run_without_a_reference_is_fine() -> None:
    run = AgentTrace(tool_calls=(ToolCall(name="sql_xg7c"),))
    assert ToolNames(suffix="mixed4").applied(run).tool_calls[0].name == "sql"
    assert ToolNames().applied(run) is run

"""Filters against runs in a database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import duckdb
import pytest
from tests.support.filtered_runs import BEGAN, add_run, select_runs
from tests.support.score_rows import insert_scores, make_judge_score, make_person_score

from tracegrade.queries.catalog import migrate
from tracegrade.queries.filter import compile_filter, quote


@pytest.fixture(scope="module")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        migrate(connection)
        yield connection


@pytest.fixture
def connection(empty: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    empty.execute("begin")
    yield empty
    empty.execute("rollback")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param("refund", {"input": "I want a REFUND"}, id="word in what the user asked"),
        pytest.param("refund", {"final_response": "no Refund"}, id="word in the answer"),
        pytest.param('"no refund"', {"final_response": "there is no refund."}, id="words in quotation marks"),
        pytest.param('"see http://x:1"', {"input": "see http://x:1/y"}, id="text with colons"),
        pytest.param("REFUND agent:shop", {"input": "a refund", "agent_name": "shop"}, id="two terms"),
        pytest.param("agent:shop", {"agent_name": "shop", "service_name": "web"}, id="agent"),
        pytest.param("agent:web", {"service_name": "web"}, id="service where the agent has no name"),
        pytest.param('agent:"my shop"', {"agent_name": "my shop"}, id="name with a space"),
        pytest.param("agent:a:b", {"agent_name": "a:b"}, id="name with a colon"),
        pytest.param("AGENT:shop", {"agent_name": "shop"}, id="field in capitals"),
        pytest.param("model:gpt-5", {"model": "gpt-5"}, id="model"),
        pytest.param("version:1.4.0", {"agent_version": "1.4.0"}, id="version"),
        pytest.param("environment:production", {"environment": "production"}, id="environment"),
        pytest.param("service:web", {"service_name": "web"}, id="service"),
        pytest.param("user:ann", {"user_id": "ann"}, id="user"),
        pytest.param("session:s-1", {"session_id": "s-1"}, id="session"),
        pytest.param("error:timeout", {"error": "HTTP Timeout"}, id="error"),
        pytest.param("error:429", {"first_fault": "HTTP 429"}, id="first fault"),
        pytest.param("tool:pay", {"tools": ["find", "pay"]}, id="tool"),
        pytest.param('tool:"files:read"', {"tools": ["files:read"]}, id="tool with a colon"),
        pytest.param("tool:pay:error", {"failed_tools": '["find", "pay"]'}, id="failed tool"),
        pytest.param("tool:pay:invalid", {"invalid_tools": '["pay"]'}, id="invalid tool"),
        pytest.param("tool:pay:fault", {"failing": True, "fault_tool": "pay"}, id="tool at fault"),
        pytest.param('tool:"files:read":error', {"failed_tools": '["files:read"]'}, id="failed tool with a colon"),
        pytest.param('tool:"pay:error"', {"tools": ["pay:error"]}, id="tool with the name of a state"),
        pytest.param("cost>0.1", {"cost_usd": 0.2}, id="cost"),
        pytest.param("cost>$0.1", {"total_cost_usd": 0.2, "cost_usd": 0.01}, id="cost with sub-agents, in dollars"),
        pytest.param("tokens>=5k", {"input_tokens": 4_000, "output_tokens": 1_000}, id="tokens"),
        pytest.param("tokens=7", {"output_tokens": 7}, id="tokens of which one is recorded"),
        pytest.param("duration>100s", {"duration_ms": 100_001.0}, id="duration"),
        pytest.param("duration<=1m30s", {"duration_ms": 90_000.0}, id="duration of two units"),
        pytest.param("calls<3", {"tool_call_count": 2}, id="calls"),
        pytest.param("is:failing", {"failing": True}, id="failing"),
        pytest.param("is:unscored", {"score_count": 0}, id="unscored"),
        pytest.param("is:partial", {"completeness": "partial"}, id="partial"),
        pytest.param("pattern:C90A", {"pattern_id": "c90a"}, id="pattern"),
        pytest.param("id:sought", {}, id="id"),
        pytest.param("-agent:other", {}, id="not of an agent, where none is recorded"),
        pytest.param("-other", {"input": "that"}, id="without a word"),
        pytest.param("sql:tool_call_count > 3", {"tool_call_count": 4}, id="condition in SQL"),
        pytest.param(
            "agent:a SQL: tool_call_count > 3 -- many", {"agent_name": "a", "tool_call_count": 4}, id="comment"
        ),
        pytest.param("sql:environment = ')' or user_id = '('", {"user_id": "("}, id="parentheses in texts of SQL"),
    ],
)
def test_filter_selects_the_run_that_matches(
    connection: duckdb.DuckDBPyConnection, text: str, fields: dict[str, Any]
) -> None:
    add_run(connection, "sought", **fields)
    add_run(connection, "other", **OTHER)
    assert select_runs(connection, text) == ["sought"]


OTHER: dict[str, Any] = {
    "input": "other",
    "agent_name": "other",
    "service_name": "other",
    "tools": [],
    "cost_usd": 0.1,
    "input_tokens": 1,
    "duration_ms": 100_000.0,
    "tool_call_count": 3,
    "failing": False,
    "score_count": 1,
}


def test_empty_filter_selects_all_runs(connection: duckdb.DuckDBPyConnection) -> None:
    add_run(connection, "a")
    add_run(connection, "b")
    assert select_runs(connection, "  ") == ["a", "b"]


def test_comparison_leaves_out_what_is_not_recorded_and_its_opposite_takes_it(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    add_run(connection, "cheap", cost_usd=0.1)
    add_run(connection, "dear", cost_usd=0.3)
    add_run(connection, "unknown")
    assert select_runs(connection, "cost<0.3") == ["cheap"]
    assert select_runs(connection, "cost<=0.3") == ["cheap", "dear"]
    assert select_runs(connection, "cost>0.1") == ["dear"]
    assert select_runs(connection, "cost>=0.1") == ["cheap", "dear"]
    assert select_runs(connection, "-cost>0.1") == ["cheap", "unknown"]


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("score:polite:failed", ["failed"]),
        ('score:"polite":failed', ["failed"]),
        ("score:deep:bias:failed", ["biased"]),
        ('score:"polite:failed"', []),
        ("score:polite:skipped", ["skipped"]),
        ("score:polite:error", ["erred"]),
        ("score:deep:skipped:error", []),
    ],
)
def test_state_of_a_score_selects_runs_that_an_evaluator_failed_skipped_or_erred_on(
    connection: duckdb.DuckDBPyConnection, text: str, selected: list[str]
) -> None:
    for id_ in ("failed", "passed", "person", "biased", "skipped", "erred"):
        add_run(connection, id_)
    scores = [
        make_judge_score("failed", agent_trace_id="failed", passed=False),
        make_judge_score("passed", agent_trace_id="passed", passed=True),
        make_person_score("person", agent_trace_id="person", passed=False),
        make_judge_score("biased", agent_trace_id="biased", passed=False, evaluator="deep:bias"),
        make_judge_score("skipped", agent_trace_id="skipped", status="skipped", value=None),
        make_judge_score("erred", agent_trace_id="erred", status="error", value=None),
    ]
    insert_scores(connection, *scores)
    assert select_runs(connection, text) == selected


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("score:polite", ["high", "low", "outer"]),
        ("score:polite<0.5", ["low"]),
        ("score:polite>=0.5", ["high", "outer"]),
        ("score:polite=0.2", ["low"]),
        ('score:"polite"<0.5', ["low"]),
        ('score:"a<b"<0.5', ["odd"]),
        ("score:deep:bias>-1", ["odd"]),
        ("label:RUDE", ["low"]),
        ("-score:polite", ["odd"]),
    ],
)
def test_score_selects_runs_by_active_scores_on_them_and_their_sub_agents(
    connection: duckdb.DuckDBPyConnection, text: str, selected: list[str]
) -> None:
    for id_ in ("high", "low", "odd", "outer"):
        add_run(connection, id_)
    add_run(connection, "inner", parent_agent_trace_id="outer", root_agent_trace_id="outer")
    insert_scores(
        connection,
        make_judge_score("high", agent_trace_id="high", value=0.9),
        make_judge_score("low", agent_trace_id="low", value=0.2, label="rude"),
        make_judge_score("low", agent_trace_id="low", value=0.9, superseded_at=BEGAN),
        make_judge_score("inner", agent_trace_id="inner", value=0.6),
        make_judge_score("odd", agent_trace_id="odd", status="skipped", value=None),
        make_judge_score("odd", agent_trace_id="odd", value=0.2, evaluator="a<b"),
        make_judge_score("odd", agent_trace_id="odd", value=0.2, evaluator="deep:bias"),
    )
    assert select_runs(connection, text) == selected


def test_runs_on_which_people_disagree_and_those_without_labels_are_selected(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    for id_ in ("agreed", "disagreed", "unlabelled"):
        add_run(connection, id_)
        insert_scores(connection, make_judge_score(id_, agent_trace_id=id_, value=1.0, passed=True))
    insert_scores(
        connection,
        make_person_score("agreed", agent_trace_id="agreed", value=1.0, passed=True),
        make_person_score("disagreed", agent_trace_id="disagreed", value=0.0, passed=False),
    )
    assert select_runs(connection, "is:disagreed") == ["disagreed"]
    assert select_runs(connection, "is:unlabelled") == ["unlabelled"]
    assert select_runs(connection, "-is:unlabelled") == ["agreed", "disagreed"]


def test_value_is_never_read_as_sql(connection: duckdb.DuckDBPyConnection) -> None:
    add_run(connection, "a", agent_name="x' or true --")
    add_run(connection, "b", agent_name="b")
    assert select_runs(connection, "agent:" + quote("x' or true --")) == ["a"]
    assert select_runs(connection, """agent:"' or true --" """) == []


def test_runs_outside_of_the_window_are_not_selected(connection: duckdb.DuckDBPyConnection) -> None:
    add_run(connection, "before", started_at=datetime(2025, 1, 1))  # noqa: DTZ001 - as the store keeps it
    assert select_runs(connection, "") == []


def test_compiled_filter_says_whether_it_has_sql_of_a_user() -> None:
    assert compile_filter("agent:a").predicate is None
    assert compile_filter("agent:a sql: cost_usd > 1 ").predicate == "cost_usd > 1"

"""Statements over runs and scores of production leave the same rows of an experiment alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pytest
from tests.support.score_rows import BEGAN, insert_scores

from tracegrade.collector.records.arrow_batch import table
from tracegrade.collector.store.engines.arrow import registered, schema
from tracegrade.queries.catalog import migrate, report, statement

EXPERIMENT = "5f0c"
NOW = BEGAN + timedelta(hours=1)
RUNS = "ours\x1ftheirs"
PERIOD = {"earliest": BEGAN, "latest": BEGAN, "every": True, "agent_trace_ids": ""}


@pytest.fixture(scope="module")
def migrated() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    migrate(connection)
    return connection


@pytest.fixture
def connection(migrated: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """A store with the run `ours` of production and the run `theirs` of an experiment, each in a session of its own."""
    migrated.execute("begin")
    insert(migrated, "agent_traces", make_run("ours"), make_run("theirs", experiment_id=EXPERIMENT))
    yield migrated
    migrated.execute("rollback")


def insert(connection: duckdb.DuckDBPyConnection, name: str, *rows: Mapping[str, Any]) -> None:
    with registered(connection, "given_rows", table(rows, schema(connection, name))):
        connection.execute(f"insert into {name} by name select * from given_rows")


def make_run(name: str, **fields: Any) -> dict[str, Any]:
    usual = dict.fromkeys(("tool_call_count", "llm_call_count", "error_count"), 0)
    names = {"agent_trace_id": name, "trace_id": name, "agent_span_id": "s", "session_id": name, "fingerprint": "f"}
    times = {"started_at": BEGAN, "assembled_at": BEGAN, "assembled_seq": 2}
    return {**usual, **names, **times, "completeness": "complete", "gaps": "[]", "revision": 2, **fields}


def make_score(name: str, *, of_session: bool = False, **fields: Any) -> dict[str, Any]:
    """A score of the check `polite` on the first revision of a run, or on its session."""
    usual = {"evaluator_kind": "code", "author": "tracegrade", "score_id": name, "revision": 1, "value": 0.0}
    about = {"target_id": name, "agent_trace_id": name}
    if of_session:
        about = {"target_id": f"session:{name}", "session_id": name, "scope": "session"}
    experiment = {"experiment_id": EXPERIMENT} if name == "theirs" else {}
    return {**usual, **about, **experiment, "passed": False, **fields}


def add_scores(connection: duckdb.DuckDBPyConnection, **fields: Any) -> None:
    insert_scores(connection, make_score("ours", **fields), make_score("theirs", **fields))


def run(connection: duckdb.DuckDBPyConnection, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
    return connection.execute(statement(name), parameters).fetchall()


def list_superseded(connection: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return connection.execute("select score_id from scores where superseded_at is not null").fetchall()


def enrol(connection: duckdb.DuckDBPyConnection, scope: str = "session") -> None:
    fields = {"evaluator": "polite", "evaluator_version": 1, "config_hash": "c", "scope": scope, "selection": ""}
    seqs = {"first_seq": 1, "seq": 2, "selected_seq": 2}
    insert(connection, "evaluator_cursors", {**fields, **seqs, "enrolled_at": BEGAN, "selected_at": BEGAN})


def defer(connection: duckdb.DuckDBPyConnection, *targets: str, until: datetime = NOW) -> None:
    usual = {"scope": "trace", "evaluator": "polite", "not_before": until, "priority": 1, "reason": "the budget"}
    insert(connection, "deferrals", *({**usual, "target_id": target} for target in targets))


def test_sessions_of_experiments_are_not_requeued_when_runs_are_linked(connection: duckdb.DuckDBPyConnection) -> None:
    enrol(connection)
    run(connection, "requeue_linked_sessions", session_ids=RUNS, now=NOW, priority=1)
    assert connection.execute("select target_id from deferrals").fetchall() == [("session:ours",)]


def test_session_that_an_experiment_has_scored_is_not_requeued(connection: duckdb.DuckDBPyConnection) -> None:
    add_scores(connection, of_session=True)
    targets = "session:ours\x1fsession:theirs"
    run(connection, "requeue_sessions", target_ids=targets, now=NOW, priority=1)
    assert connection.execute("select target_id from deferrals").fetchall() == [("session:ours",)]


def test_superseded_score_of_an_experiment_is_not_restored(connection: duckdb.DuckDBPyConnection) -> None:
    add_scores(connection, superseded_at=BEGAN)
    arriving = [make_score("ours"), make_score("theirs")]
    rows = [{**score, "target_time": BEGAN, "trace_id": "t", "scope": "trace"} for score in arriving]
    with registered(connection, "arriving_scores", table(rows, schema(connection, "scores"))):
        run(connection, "restore_scores")
    assert list_superseded(connection) == [("theirs",)]


def test_session_in_which_only_an_experiment_has_turns_gets_no_score_back(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    scores = [make_score(name, of_session=True, experiment_id=None) for name in ("ours", "theirs")]
    insert_scores(connection, *({**score, "superseded_at": BEGAN} for score in scores))
    rows = [{**score, "target_time": BEGAN} for score in scores]
    with registered(connection, "arriving_scores", table(rows, schema(connection, "scores"))):
        run(connection, "restore_scores")
    assert list_superseded(connection) == [("theirs",)]


def test_score_of_an_experiment_on_an_earlier_revision_stays_active(connection: duckdb.DuckDBPyConnection) -> None:
    add_scores(connection)
    about = {"evaluator": "polite", "kind": "code", "now": NOW, "reason": "not_selected"}
    run(connection, "supersede_unselected_scores", agent_trace_ids=RUNS, **about)
    assert list_superseded(connection) == [("ours",)]


def test_score_of_an_experiment_on_a_session_without_turns_stays_active(connection: duckdb.DuckDBPyConnection) -> None:
    add_scores(connection, of_session=True)
    targets = "session:ours\x1fsession:theirs"
    run(connection, "withdraw_scores_of_targets", target_ids=targets, now=NOW)
    assert list_superseded(connection) == [("ours",)]


def test_revisions_that_an_experiment_has_scored_do_not_count(connection: duckdb.DuckDBPyConnection) -> None:
    add_scores(connection)
    counted = run(connection, "scored_revisions", evaluator="polite", agent_trace_ids=RUNS, since=BEGAN)
    assert counted == [("ours", 1)]


def test_run_of_an_experiment_is_not_among_the_failing_ones(connection: duckdb.DuckDBPyConnection) -> None:
    insert(connection, "agent_traces", make_run("by agent", agent_name="travel"))
    insert_scores(connection, make_score("by agent"), make_score("theirs", experiment_id=None))
    assert [row[:2] for row in connection.execute(report("failing_runs")).fetchall()] == [("travel", "polite")]


@pytest.mark.parametrize(("scope", "prefix"), [("trace", ""), ("session", "session:")], ids=["runs", "sessions"])
def test_backfill_does_not_expedite_what_is_deferred_of_an_experiment(
    connection: duckdb.DuckDBPyConnection, scope: str, prefix: str
) -> None:
    defer(connection, f"{prefix}ours", f"{prefix}theirs")
    expedited = run(connection, "expedite_backfill", evaluator="polite", now=NOW, priority=2, scope=scope, **PERIOD)
    assert expedited == [(f"{prefix}ours",)]


def test_backfill_counts_targets_of_production_alone(connection: duckdb.DuckDBPyConnection) -> None:
    defer(connection, "ours", "theirs")
    about = {"evaluators": "polite\x1fwhole", "of_sessions": "whole", "backfill": 2, **PERIOD}
    assert run(connection, "backfill_targets", **about) == [("polite", 1, 0, 1), ("whole", 1, 0, 0)]

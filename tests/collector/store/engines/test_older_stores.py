"""A store that an earlier version wrote is brought up to date when it is opened, and loses nothing.

`older/schema_NNNN.gz` was written by the version whose newest schema file has that number: four recorded runs,
evaluated in code, by SQL and by a person; external feedback on a response that never came; questions that a judge out
of reach could not answer.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.config.settings import evaluators_of, load
from tracegrade.collector.records.row_mapping import rows_of, traces_of
from tracegrade.collector.records.run_trees import find_trees
from tracegrade.collector.reports.audit import audit
from tracegrade.collector.server.pipeline import Pipeline
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile

OLDER = sorted(Path(__file__).with_name("older").glob("*.gz"))
RENAMED = {"due_later": "deferrals"}
BOOKKEEPING = {"schema_history", "schema_objects"}
CONFIGURATION = """
judges:
  default: {base_url: "http://127.0.0.1:9/v1", model: test-model, api_key_env: null}
evaluators:
  - use: defaults
  - {use: goal_achievement}
  - {name: short_enough, sql: "select agent_trace_id, 1.0 as value from agent_traces"}
"""


@pytest.fixture(params=OLDER, ids=lambda file: file.name.partition(".")[0])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "store.duckdb"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return path


def rows_by_table(path: Path) -> dict[str, list[dict[str, Any]]]:
    with closing(duckdb.connect(str(path), read_only=True)) as connection:
        names = [name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()]
        return {name: _rows(connection, name) for name in names if name not in BOOKKEEPING}


def _rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    cursor = connection.execute(f"from {table} order by all")
    columns = [name for name, *_ in cursor.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def _former_columns(row: dict[str, Any], former: list[dict[str, Any]]) -> dict[str, Any]:
    """`row` without the columns that were added since."""
    return {column: row[column] for column in former[0]} if former else row


def test_every_row_is_kept(store: Path) -> None:
    before = rows_by_table(store)
    assert all(before[name] for name in ("spans", "agent_traces", "scores", "judge_calls", "feedback"))
    DuckDbFile(store).close()
    after = rows_by_table(store)
    for name, rows in before.items():
        kept = (
            [{column: row[column] for column in row if column in rows[0]} for row in after[RENAMED.get(name, name)]]
            if rows
            else []
        )
        assert kept == rows


def test_everything_in_it_is_production_and_there_is_room_for_experiments(store: Path) -> None:
    DuckDbFile(store).close()
    after = rows_by_table(store)
    assert (after["experiments"], after["experiment_runs"]) == ([], [])
    for name in ("agent_traces", "scores", "judge_calls"):
        assert {row["experiment_id"] for row in after[name]} == {None}


@pytest.fixture
def pipeline(store: Path, tmp_path: Path) -> Iterator[Pipeline]:
    file = tmp_path / "tracegrade.yaml"
    file.write_text(CONFIGURATION, encoding="utf-8")
    pipeline = Pipeline(load(file, store=str(store)))
    yield pipeline
    pipeline.let_go()


def test_what_was_scored_stays_scored_and_what_was_deferred_stays_deferred(store: Path, pipeline: Pipeline) -> None:
    with pipeline.database.cursor() as connection:
        before = _by_id(_rows(connection, "scores"))
        deferred = _rows(connection, "deferrals")
    assert deferred
    pipeline.enrol()
    asyncio.run(pipeline.evaluate())
    with pipeline.database.cursor() as connection:
        after = _by_id(_rows(connection, "scores"))
        assert len(_rows(connection, "deferrals")) == len(deferred)
    versions = {evaluator.name: evaluator.version for evaluator in evaluators_of(pipeline.lanes.settings)}
    outdated = {id_ for id_, row in before.items() if row["evaluator_version"] < versions.get(row["evaluator"], 0)}
    replaced = {id_ for id_ in outdated if after[id_]["superseded_reason"] == "replaced"}  # others once asked for
    assert {id_: row for id_, row in after.items() if id_ in before.keys() - replaced} == {
        id_: row for id_, row in before.items() if id_ not in replaced
    }
    assert len(after) == len(before) + len(replaced)


def _by_id(scores: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["score_id"]: row for row in scores}


def test_new_columns_of_runs_are_filled_as_if_they_were_assembled_now(store: Path) -> None:
    DuckDbFile(store).close()
    filled = rows_by_table(store)
    runs = traces_of(filled)
    trees = find_trees(runs)
    for run, row in zip(runs, filled["agent_traces"], strict=True):
        (assembled,) = rows_of(run, trees[run.agent_trace_id])["agent_traces"]
        columns = ("root_agent_trace_id", "earliest_at", "latest_at", "tools", "failed_calls", "time_to_first_token_ms")
        assert {column: row[column] for column in columns} == {column: assembled[column] for column in columns}


def test_outcomes_are_computed_from_the_scores_of_before(pipeline: Pipeline) -> None:
    with pipeline.database.cursor() as connection:
        scored = connection.execute(
            "select count(*) from runs where score_count > 0 and outcome is not null"
        ).fetchall()
    assert scored != [(0,)]


def test_nothing_is_missing_or_twice(pipeline: Pipeline) -> None:
    assert not audit(LocalSource(pipeline.database).read, evaluators_of(pipeline.lanes.settings)).findings

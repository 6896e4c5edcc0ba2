"""Writes experiments: how they begin, and their runs with the scores on these."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import duckdb
import pyarrow as pa

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import statement
from tracegrade.queries.ports import (
    ExperimentEnded,
    ExperimentProgress,
    ExperimentRuns,
    ExperimentStart,
    NoSuchExperiment,
    RecordedRun,
    RunKey,
)

from ...clock import utc_now
from ...records.arrow_batch import table
from ...records.experiment_rows import experiment_row, experiment_run_row, experiment_score_rows
from ...records.table_mapping import Row
from ..engines.arrow import read_table, registered, schema
from ..results.writer import Results
from .plan_check import PlanCheck

__all__ = ["Experiments"]

_TICK: Final = timedelta(microseconds=1)


class Experiments:
    """Writes experiments through the connection for results. For any thread."""

    def __init__(self, results: Results, *, now: Callable[[], datetime] | None = None) -> None:
        self._results = results
        self._now = now or utc_now

    def begin(self, start: ExperimentStart) -> ExperimentProgress:
        """Begin an experiment, or continue the newest one of its name.

        That one is continued if it has the same plan and has not ended, unless the start `is_new`.
        """
        with self._results.transaction() as connection:
            newest = _read_newest(connection, start.name)
            if newest and newest["ended_at"] is None and newest["plan_hash"] == start.plan_hash and not start.is_new:
                return _report_progress(connection, newest)
            now = self._now()
            # After a clock was set back, the newest experiment of a name is still the one that began last.
            started_at = max(now, newest["started_at"] + _TICK) if newest else now
            row = experiment_row(start, experiment_id=uuid.uuid4().hex, started_at=started_at)
            rows = table([row], schema(connection, "experiments"))
            with registered(connection, "arriving_experiment", rows):
                connection.execute(statement("insert_experiment"))
        return ExperimentProgress(experiment_id=row["experiment_id"], name=start.name, is_continued=False, done=())

    def record(self, runs: ExperimentRuns) -> None:
        """Store those runs and scores that are not stored yet, in one transaction; end the experiment with `is_last`.

        A stored run gets the scores that it lacks, for example of a judge that could not be asked before. Raises
        NoSuchExperiment, ExperimentEnded and WrongRun.
        """
        with self._results.transaction() as connection:
            experiment = _require(connection, runs.experiment_id)
            rows = self._tabulate(connection, experiment, runs.runs)
            stored = _read_related(connection, experiment, rows)
            check = PlanCheck(experiment, stored)
            known = check.select_stored(runs.runs)
            new = check.select_new(runs.runs)
            if new and experiment["ended_at"] is not None:
                further = counted(len(new), "further run")
                raise ExperimentEnded(f"the experiment {experiment['name']!r} has ended and takes no {further}")
            if new:
                with registered(connection, "arriving_experiment_runs", self._tabulate(connection, experiment, new)):
                    connection.execute(statement("insert_experiment_runs"))
            if experiment["ended_at"] is None:
                self._insert_scores(connection, experiment, [*new, *known])
            if runs.is_last:
                about = {"experiment_id": runs.experiment_id, "now": self._now()}
                connection.execute(statement("end_experiment"), about)

    def check_exists(self, experiment_id: str) -> None:
        """Raise NoSuchExperiment unless there is this experiment."""
        with self._results.transaction() as connection:
            _require(connection, experiment_id)

    def _insert_scores(
        self, connection: duckdb.DuckDBPyConnection, experiment: Row, runs: Sequence[RecordedRun]
    ) -> None:
        experiment_id = experiment["experiment_id"]
        scores = [row for run in runs for row in experiment_score_rows(run, experiment_id=experiment_id)]
        if not scores:
            return
        with registered(connection, "arriving_scores", table(scores, self._results.schemas["scores"])):
            connection.execute(statement("insert_experiment_scores"), {"experiment_id": experiment_id})

    def _tabulate(
        self, connection: duckdb.DuckDBPyConnection, experiment: Row, runs: Sequence[RecordedRun]
    ) -> pa.Table:
        """Return the rows of runs in `experiment_runs`."""
        now, experiment_id = self._now(), experiment["experiment_id"]
        rows = [experiment_run_row(run, experiment_id=experiment_id, ended_at=now) for run in runs]
        return table(rows, schema(connection, "experiment_runs"))


def _read_newest(connection: duckdb.DuckDBPyConnection, name: str) -> Row | None:
    """Return the newest experiment of a name; None if there is none."""
    rows: list[Row] = read_table(connection, "newest_experiment", {"name": name}).to_pylist()
    return rows[0] if rows else None


def _require(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> Row:
    """Return the experiment with this id. Raises NoSuchExperiment."""
    rows: list[Row] = read_table(connection, "experiment_of_id", {"experiment_id": experiment_id}).to_pylist()
    if not rows:
        raise NoSuchExperiment(f"there is no experiment with the id {experiment_id!r}; begin one first")
    return rows[0]


def _report_progress(connection: duckdb.DuckDBPyConnection, experiment: Row) -> ExperimentProgress:
    about = {"experiment_id": experiment["experiment_id"]}
    done = connection.execute(statement("finished_experiment_runs"), about).fetchall()
    return ExperimentProgress(
        **about,
        name=experiment["name"],
        is_continued=True,
        done=tuple(RunKey(item_id=item_id, repeat=repeat) for item_id, repeat in done),
    )


def _read_related(connection: duckdb.DuckDBPyConnection, experiment: Row, rows: pa.Table) -> list[Row]:
    """Return the stored runs of the experiment that these may repeat or contradict."""
    with registered(connection, "arriving_experiment_runs", rows):
        about = {"experiment_id": experiment["experiment_id"]}
        related: list[Row] = read_table(connection, "related_experiment_runs", about).to_pylist()
    return related

"""Evaluators of kind sql: one query evaluates all the runs that are due."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import AUTHOR, ScoreRecord
from tracegrade.queries import fence

from ...clock import utc_now
from ...records.arrow_batch import Batch
from ...records.row_mapping import read_scores
from ..engines.arrow import read_table, registered
from ..engines.database import Database
from ..errors import first_line
from .sql_answer import ANSWER, MAX_ROWS, Unusable, read_answer

__all__ = ["CutOff", "SqlWorkbench", "run_query", "score_runs"]

_TIMEOUT_S: Final = 60.0


class CutOff(Exception):
    """A query was cancelled, so it has no scores."""


class SqlWorkbench:
    """Computes the scores of evaluators of kind sql, by queries through the fence."""

    def __init__(self, database: Database, *, now: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._now = now
        self._cancelled = threading.Event()

    def evaluate(self, targets: Batch[Any], evaluators: Sequence[Configured]) -> Batch[ScoreRecord]:
        """Score each run of `targets` by the query of each evaluator. Raises CutOff once it was killed."""
        scores = [self._evaluate_runs(evaluator, targets.main) for evaluator in evaluators]
        return Batch({"scores": pa.concat_tables(scores)}, read_scores, key="score_id")

    def kill(self) -> None:
        """Cancel the running query and every later one. For any thread."""
        self._cancelled.set()

    def _evaluate_runs(self, evaluator: Configured, due: pa.Table) -> pa.Table:
        """Return rows of `scores`. A query that fails, or whose answer is unusable, is an error on every run."""
        answer, failure = ANSWER.empty_table(), None
        try:
            answer = run_query(self._database, evaluator, due, cancelled=self._cancelled)
        except fence.SqlError as error:
            failure = _describe_error(error)
        except Unusable as error:
            failure = str(error)
        if self._cancelled.is_set():
            raise CutOff(f"the query of {evaluator.name} was cut off")
        return score_runs(self._database, evaluator, due, answer, failure=failure, now=self._now())


def score_runs(
    database: Database, evaluator: Configured, due: pa.Table, answer: pa.Table, *, failure: str | None, now: datetime
) -> pa.Table:
    """Return rows of `scores`, one for each run of `due`, from the `answer` to the query or from its `failure`.

    `due` are rows of the statement `runs_without_content`, `answer` rows of ANSWER; those for other runs are left out.
    """
    parameters = {
        "evaluator": evaluator.name,
        "evaluator_type": evaluator.type,
        "evaluator_version": evaluator.version,
        "config_hash": evaluator.config_hash,
        "threshold": evaluator.threshold,
        "author": AUTHOR,
        "failure": failure,
        "now": now,
    }
    with (
        database.cursor() as connection,
        registered(connection, "due", due),
        registered(connection, "answer", answer),
    ):
        return read_table(connection, "query_scores", parameters)


def run_query(
    database: Database, evaluator: Configured, due: pa.Table, *, cancelled: threading.Event | None = None
) -> pa.Table:
    """Run the query of `evaluator` over `due`; return rows of ANSWER. Raises fence.SqlError and Unusable."""
    result = database.readers.read(
        evaluator.sql or "",
        timeout_s=evaluator.timeout_s or _TIMEOUT_S,
        max_rows=MAX_ROWS,
        cancelled=cancelled,
        tables={"due": due.append_column("target_id", due.column("agent_trace_id"))},
    )
    return read_answer(result)


def _describe_error(error: fence.SqlError) -> str:
    """Return the error without data of runs, and how to see it with them."""
    message, whole = error.without_data, first_line(error)
    hint = "" if message == whole else "; `tracegrade sql` with the query over agent_traces instead of due tells where"
    return f"{message}{hint}"

"""Scores of evaluators of kind sql: a query that judges all the runs that are due at once."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import orjson
import pyarrow as pa

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import AUTHOR, ScoreRecord
from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.queries import fence
from tracegrade.queries.result import Result, plain_rows

from ...records.arrow_batch import Batch
from ...records.row_mapping import read_scores
from ..engines.arrow import read_table, registered
from ..engines.database import Database

__all__ = ["ANSWER", "CutOff", "Unusable", "answer_of", "answered", "judged_by_query", "scores_of"]

_TIMEOUT_S: Final = 60.0
_MOST_ROWS: Final = 1_000_000

ANSWER: Final = pa.schema(
    [
        ("agent_trace_id", pa.string()),
        ("value", pa.float64()),
        ("label", pa.string()),
        ("passed", pa.bool_()),
        ("explanation", pa.string()),
        ("reason", pa.string()),
        ("details", pa.string()),
    ]
)

_SCORES: Final = frozenset({"value", "label", "passed"})
_TOLD: Final = frozenset({*ANSWER.names, "target_id"} - {"details"})


class Unusable(ValueError):
    """The answer is no scores; the author of the query must act."""


class CutOff(Exception):
    """Nobody waits for the answer any more; it is no score."""


def judged_by_query(
    database: Database, evaluator: Configured, due: pa.Table, *, now: datetime, cancelled: threading.Event
) -> Batch[ScoreRecord]:
    """A score on each run of `due` (rows of `runs_without_content`), which the evaluator's query sees as `due`.

    Rows on other runs are left out. A query that fails, or whose answer is none, is an error on every run. Raises
    CutOff when it was `cancelled`.
    """
    answer, failure = ANSWER.empty_table(), None
    try:
        answer = answered(database, evaluator, due, cancelled=cancelled)
    except fence.SqlError as error:
        failure = _told(error)
    except Unusable as error:
        failure = str(error)
    if cancelled.is_set():
        raise CutOff(f"the query of {evaluator.name} was cut off")
    return scores_of(database, evaluator, due, answer, failure=failure, now=now)


def scores_of(
    database: Database, evaluator: Configured, due: pa.Table, answer: pa.Table, *, failure: str | None, now: datetime
) -> Batch[ScoreRecord]:
    """A score on each run of `due`, by the `answer` to the evaluator's query, or by the `failure` of it."""
    asked = {
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
        scores = read_table(connection, "query_scores", asked)
    return Batch({"scores": scores}, read_scores, key="score_id")


def answered(
    database: Database, evaluator: Configured, due: pa.Table, *, cancelled: threading.Event | None = None
) -> pa.Table:
    """Rows of ANSWER. Raises fence.SqlError, and Unusable when the answer is no scores."""
    found = database.readers.read(
        evaluator.sql or "",
        timeout_s=evaluator.timeout_s or _TIMEOUT_S,
        max_rows=_MOST_ROWS,
        cancelled=cancelled,
        tables={"due": due.append_column("target_id", due.column("agent_trace_id"))},
    )
    return answer_of(found)


def _told(error: fence.SqlError) -> str:
    """The error without data of runs, and how to see it whole."""
    told, whole = error.without_data, str(error).partition("\n")[0]
    how = "" if told == whole else "; `tracegrade sql` with the query over agent_traces instead of due tells where"
    return f"{told}{how}"


def answer_of(found: Result) -> pa.Table:
    """What the query of an evaluator says of each run, as rows of ANSWER. Raises Unusable when it is no scores."""
    if found.truncated:
        raise Unusable(
            f"it answers with more than {_MOST_ROWS:,} rows or 64 MiB; join the relation due, which holds the runs "
            "to judge and no others"
        )
    columns = _by_name(found)
    runs = _runs(columns)
    _refuse_without_score(columns)
    values = _numbers(columns.get("value"))
    passed = _booleans(columns.get("passed"), columns.get("value"))
    texts = {name: _texts(name, columns.get(name)) for name in ("label", "explanation", "reason")}
    told = {"agent_trace_id": runs, "value": values, "passed": passed, **texts, "details": _details(found)}
    height = found.table.num_rows
    arrays = [_filled(told[field.name], field.type, height) for field in ANSWER]
    return pa.Table.from_arrays(arrays, schema=ANSWER)


def _by_name(found: Result) -> dict[str, Any]:
    return dict(zip(found.table.column_names, found.table.columns, strict=True))


def _refuse_without_score(columns: Collection[str]) -> None:
    if _SCORES.isdisjoint(columns):
        misspelt = (f", but {name!r}{near}" for name in columns if (near := nearest(name, _SCORES)))
        raise Unusable(
            f"it returns neither value, label nor passed{next(misspelt, '')}; "
            "return one of them, a value from 0 to 1, a label as text, or passed as a boolean"
        )


def _runs(columns: dict[str, Any]) -> Any:
    named = columns.get("agent_trace_id", columns.get("target_id"))
    if named is None:
        raise Unusable("it has to return agent_trace_id and value")
    runs = _texts("agent_trace_id", named)
    if runs.null_count:
        raise Unusable("it returned a row without agent_trace_id; it has to return one row a run")
    if len(runs.unique()) < len(runs):
        counts = runs.value_counts().to_pylist()
        twice = next(one["values"] for one in counts if one["counts"] > 1)
        raise Unusable(f"it returned two rows for the run {twice}; it has to return one a run")
    return runs


def _numbers(column: Any) -> Any:
    if column is None or pa.types.is_null(column.type):
        return None
    kind = column.type
    if not (pa.types.is_boolean(kind) or pa.types.is_integer(kind) or _is_fraction(kind)):
        raise Unusable(f"value is {kind}: it has to be a number from 0 to 1 or a boolean; words belong into label")
    return column.cast(pa.float64(), safe=False)


def _is_fraction(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _booleans(passed: Any, value: Any) -> Any:
    """Whether each run has passed, as far as the query says so: a value that is a boolean says it too."""
    if passed is None or pa.types.is_null(passed.type):
        return value if value is not None and pa.types.is_boolean(value.type) else None
    if not pa.types.is_boolean(passed.type):
        raise Unusable(f"passed is {passed.type}: it has to be a boolean")
    return passed


def _texts(name: str, column: Any) -> Any:
    if column is None:
        return None
    try:
        return column.cast(pa.string())
    except pa.ArrowException as error:
        raise Unusable(f"{name} is {column.type}: it has to be text") from error


def _details(found: Result) -> Sequence[str | None] | None:
    """What else the query tells of each run, as JSON."""
    others = [place for place, column in enumerate(found.columns) if column.name not in _TOLD]
    if not others:
        return None
    names = [found.columns[place].name for place in others]
    rest = replace(found, columns=tuple(found.columns[place] for place in others), table=found.table.select(others))
    return [
        orjson.dumps({name: value for name, value in zip(names, row, strict=True) if value is not None}).decode()
        for row in plain_rows(rest)
    ]


def _filled(column: Any, kind: pa.DataType, height: int) -> Any:
    if column is None:
        return pa.nulls(height, kind)
    return column if isinstance(column, (pa.ChunkedArray, pa.Array)) else pa.array(column, type=kind)

"""Checks the result of the query of an evaluator and converts it to scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson
import pyarrow as pa

from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.queries import fence
from tracegrade.queries.result import Result, plain_rows

__all__ = ["ANSWER", "MAX_ROWS", "Unusable", "read_answer"]

MAX_ROWS: Final = 1_000_000
"""The maximum number of rows of an answer."""

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
_OWN_COLUMNS: Final = frozenset({*ANSWER.names, "target_id"} - {"details"})


class Unusable(ValueError):
    """The result of a query cannot be used as scores; the author of the query has to change it."""


def read_answer(result: Result) -> pa.Table:
    """Read the answer of a query as rows of ANSWER. Raises Unusable if it is not scores."""
    if result.truncated:
        raise Unusable(
            f"it answers with more than {MAX_ROWS:,} rows or {fence.MAX_RESULT_BYTES >> 20} MiB; join the relation "
            "due, which holds only the runs to evaluate"
        )
    columns = dict(zip(result.table.column_names, result.table.columns, strict=True))
    runs = _read_run_ids(columns)
    _require_score(columns)
    values = _read_values(columns.get("value"))
    passed = _read_passed(columns.get("passed"), columns.get("value"))
    texts = {name: _read_text(name, columns.get(name)) for name in ("label", "explanation", "reason")}
    answer = {"agent_trace_id": runs, "value": values, "passed": passed, **texts, "details": _encode_details(result)}
    height = result.table.num_rows
    arrays = [_fill_column(answer[field.name], field.type, height) for field in ANSWER]
    return pa.Table.from_arrays(arrays, schema=ANSWER)


def _require_score(columns: Collection[str]) -> None:
    """Raise Unusable if there is no column for a score."""
    if _SCORES.isdisjoint(columns):
        misspelt = (f", but {name!r}{near}" for name in columns if (near := nearest(name, _SCORES)))
        raise Unusable(
            f"it returns neither value, label nor passed{next(misspelt, '')}; "
            "return one of them, a value from 0 to 1, a label as text, or passed as a boolean"
        )


def _read_run_ids(columns: dict[str, Any]) -> Any:
    """Return the column of run ids. Raises Unusable if it is missing or has nulls or duplicates."""
    column = columns.get("agent_trace_id", columns.get("target_id"))
    if column is None:
        raise Unusable("it has to return agent_trace_id and value")
    runs = _read_text("agent_trace_id", column)
    if runs.null_count:
        raise Unusable("it returned a row without agent_trace_id; it has to return one row per run")
    if len(runs.unique()) < len(runs):
        counts = runs.value_counts().to_pylist()
        repeated = next(row["values"] for row in counts if row["counts"] > 1)
        raise Unusable(f"it returned two rows for the run {repeated}; it has to return one per run")
    return runs


def _read_values(column: Any) -> Any:
    """Return the values as floats; None if there are none. Raises Unusable if they are neither numbers nor booleans."""
    if column is None or pa.types.is_null(column.type):
        return None
    kind = column.type
    if not (pa.types.is_boolean(kind) or pa.types.is_integer(kind) or _is_fraction(kind)):
        raise Unusable(f"value is {kind}: it has to be a number from 0 to 1 or a boolean; text belongs in label")
    return column.cast(pa.float64(), safe=False)


def _is_fraction(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _read_passed(passed: Any, value: Any) -> Any:
    """Read whether each run has passed, from the column `passed` or else from a value that is a boolean."""
    if passed is None or pa.types.is_null(passed.type):
        return value if value is not None and pa.types.is_boolean(value.type) else None
    if not pa.types.is_boolean(passed.type):
        raise Unusable(f"passed is {passed.type}: it has to be a boolean")
    return passed


def _read_text(name: str, column: Any) -> Any:
    if column is None:
        return None
    try:
        return column.cast(pa.string())
    except pa.ArrowException as error:
        raise Unusable(f"{name} is {column.type}: it has to be text") from error


def _encode_details(result: Result) -> Sequence[str | None] | None:
    """Encode the other columns of each row as JSON."""
    others = [index for index, column in enumerate(result.columns) if column.name not in _OWN_COLUMNS]
    if not others:
        return None
    names = [result.columns[index].name for index in others]
    columns = tuple(result.columns[index] for index in others)
    rest = replace(result, columns=columns, table=result.table.select(others))
    return [
        orjson.dumps({name: value for name, value in zip(names, row, strict=True) if value is not None}).decode()
        for row in plain_rows(rest)
    ]


def _fill_column(column: Any, kind: pa.DataType, height: int) -> Any:
    if column is None:
        return pa.nulls(height, kind)
    return column if isinstance(column, (pa.ChunkedArray, pa.Array)) else pa.array(column, type=kind)

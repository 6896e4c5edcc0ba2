"""Everything that was asked for is read, however little fits into an answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pyarrow as pa
import pytest

from tracegrade.queries.read.paging import RowTooLarge, rows_by_page
from tracegrade.queries.read.run_keys import RunKey
from tracegrade.queries.read.run_parts import RunParts
from tracegrade.queries.read.runs import read_runs
from tracegrade.queries.result import Result


def numbers(fitting: int, sql: str, parameters: Mapping[str, Any]) -> Result:
    """The numbers from 1 to 7 behind a number, of which so many fit into an answer."""
    wanted = range(parameters["after_number"] + 1, 8)[: parameters["limit"]]
    table = pa.table({"number": pa.array(wanted[:fitting], pa.int64())})
    return Result(columns=(), table=table, truncated=len(wanted) > fitting, elapsed_ms=0.0)


def runs(fitting: int, parameters: Mapping[str, Any]) -> Result:
    """Those of the runs a, b and c that are asked for, of which so many fit into an answer."""
    wanted = [id_ for id_ in "abc" if id_ in parameters["agent_trace_ids"]]
    table = pa.table({"agent_trace_id": pa.array(wanted[:fitting], pa.string())})
    return Result(columns=(), table=table, truncated=len(wanted) > fitting, elapsed_ms=0.0)


@pytest.mark.parametrize(("fitting", "limit"), [(100, 3), (2, 3), (100, 100), (1, 1)])
def test_every_row_is_read_once(fitting: int, limit: int) -> None:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return numbers(fitting, sql, parameters or {})

    rows = rows_by_page(read, "a report", after={"number": 0}, limit=limit)
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 5, 6, 7]


def test_row_that_no_answer_can_hold_is_an_error() -> None:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return numbers(0, sql, parameters or {})

    with pytest.raises(RowTooLarge, match="a row is larger than an answer may be"):
        list(rows_by_page(read, "a report", after={"number": 0}))


@pytest.mark.parametrize("fitting", [1, 2, 10])
def test_runs_whose_texts_fill_an_answer_are_asked_for_again(fitting: int) -> None:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return runs(fitting, parameters or {})

    keys = [RunKey(0.0, datetime(2026, 1, 1), id_) for id_ in ("c", "gone", "a", "b")]  # noqa: DTZ001 - as in the store
    assert read_runs(read, keys).table.column("agent_trace_id").to_pylist() == ["c", "a", "b"]


def test_run_that_no_answer_can_hold_is_an_error() -> None:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return runs(0, parameters or {})

    with pytest.raises(RowTooLarge):
        read_runs(read, [RunKey(0.0, datetime(2026, 1, 1), "a")])  # noqa: DTZ001 - likewise


def test_part_of_a_run_that_the_size_of_an_answer_cuts_is_named() -> None:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return Result(columns=(), table=pa.table({}), truncated=True, elapsed_ms=0.0)

    parts = RunParts(read, {"trace_id": "a", "earliest": None, "latest": None})
    assert (parts.read("spans"), parts.truncated) == ({"spans": []}, ["spans"])

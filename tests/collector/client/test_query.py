"""Reports are read page by page, however little fits into an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

from tracegrade.collector.client.query import rows_by_page
from tracegrade.collector.errors import Fault
from tracegrade.queries.result import Result


def numbers(fitting: int, sql: str, parameters: Mapping[str, Any]) -> Result:
    """The numbers from 1 to 7 behind a number, of which so many fit into an answer."""
    wanted = range(parameters["after_number"] + 1, 8)[: parameters["limit"]]
    table = pa.table({"number": pa.array(wanted[:fitting], pa.int64())})
    return Result(columns=(), table=table, truncated=len(wanted) > fitting, elapsed_ms=0.0)


@pytest.mark.parametrize(("fitting", "limit"), [(100, 3), (2, 3), (100, 100), (1, 1)])
def test_every_row_is_read_once(fitting: int, limit: int) -> None:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return numbers(fitting, sql, parameters or {})

    rows = rows_by_page(read, "a report", after={"number": 0}, limit=limit)
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 5, 6, 7]


def test_row_that_no_answer_can_hold_is_a_fault() -> None:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        return numbers(0, sql, parameters or {})

    with pytest.raises(Fault, match="a row is larger than an answer may be"):
        list(rows_by_page(read, "a report", after={"number": 0}))

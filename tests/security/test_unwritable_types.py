"""Whatever type a query gives its columns, its answer is written, or refused with what to do instead."""

from __future__ import annotations

from typing import Any

import duckdb
import orjson
import pytest

from tracegrade.queries import fence
from tracegrade.queries.fence import SqlFailed
from tracegrade.queries.formats import FORMATS
from tracegrade.queries.result import Result


def answer(sql: str) -> Result:
    with duckdb.connect() as connection:
        fence.harden(connection)
        return fence.read(connection.cursor, sql, timeout_s=30, max_rows=1000)


@pytest.mark.parametrize("value", ["interval '1 day'", "union_value(number := 1)"])
@pytest.mark.parametrize(
    "around",
    ["[{}]", "[[{}]]", "{{'a': {}}}", "map {{'a': {}}}", "map {{{}: 1}}", "array_value({0}, {0})", "[{{'a': [{}]}}]"],
)
def test_parquet_of_what_it_cannot_hold_is_refused_before_its_first_byte(value: str, around: str) -> None:
    found = answer(f"select 1 as n, {around.format(value)} as gaps")
    with pytest.raises(SqlFailed, match=r"^gaps: .* which Parquet does not support; cast it to varchar or json"):
        next(FORMATS["parquet"].write(found))
    assert FORMATS["json"].render(found)


def test_what_parquet_refuses_can_be_written_as_the_message_says() -> None:
    found = answer("select [interval '1 day']::varchar as gaps, {'a': union_value(number := 1)}::json as either")
    assert FORMATS["parquet"].render(found).startswith(b"PAR1")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("value", ["date '290000-01-01'", "timestamp '290000-01-01'", "timestamp_ns '2200-01-01'"])
def test_union_holds_times_that_python_has_none_for(form: str, value: str) -> None:
    assert FORMATS[form].render(answer(f"select union_value(at := {value}) as at"))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param("union_value(at := timestamp '2026-03-01 12:00:00')", "2026-03-01T12:00:00.000000Z", id="time"),
        pytest.param("union_value(body := 'x'::blob)", "eA==", id="blob"),
        pytest.param("union_value(list := [interval '1 day'])", ["P1D"], id="list"),
        pytest.param("null::union(number int, word varchar)", None, id="null"),
        pytest.param("'x'::union(number int, word varchar)", "x", id="second member"),
    ],
)
def test_member_of_a_union_is_written_as_it_would_be_alone(value: str, written: Any) -> None:
    assert orjson.loads(FORMATS["json"].render(answer(f"select {value} as either"))) == [{"either": written}]

"""The functions that queries use."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracegrade.evaluators.experiments import statistics
from tracegrade.queries.catalog import migrate


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("set timezone = 'America/New_York'")
    migrate(connection)
    return connection


def one(connection: duckdb.DuckDBPyConnection, sql: str, *parameters: Any) -> Any:
    ((value,),) = connection.execute(f"select {sql}", list(parameters) or None).fetchall()
    return value


SHARES = st.integers(1, 2_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
SAMPLES = st.tuples(st.floats(-1e3, 1e3), st.floats(0, 1e3), st.integers(2, 2_000))


@settings(deadline=None)
@given(share=SHARES, other=SHARES)
def test_intervals_of_shares_are_those_of_experiments(
    connection: duckdb.DuckDBPyConnection, share: tuple[int, int], other: tuple[int, int]
) -> None:
    own = one(connection, "wilson(?, ?)", *share)
    assert own == pytest.approx(vars_of(statistics.wilson(*share)), abs=1e-12)
    difference = one(connection, "difference_of_shares(?, ?, ?, ?)", *share, *other)
    expected = vars_of(statistics.difference_of_shares(*share, *other))
    assert difference == pytest.approx({"difference": share[0] / share[1] - other[0] / other[1], **expected}, abs=1e-12)


@settings(deadline=None)
@given(sample=SAMPLES, other=SAMPLES)
def test_interval_of_a_difference_of_means_is_that_of_experiments(
    connection: duckdb.DuckDBPyConnection, sample: tuple[float, float, int], other: tuple[float, float, int]
) -> None:
    difference = one(connection, "difference_of_means(?, ?, ?, ?, ?, ?)", *sample, *other)
    expected = vars_of(statistics.difference_of_means(*sample, other))
    assert difference == pytest.approx({"difference": sample[0] - other[0], **expected}, abs=1e-9)


def vars_of(interval: statistics.Interval) -> dict[str, float]:
    return {"low": interval.low, "high": interval.high}


def test_intervals_of_too_few_are_null(connection: duckdb.DuckDBPyConnection) -> None:
    nulls = "wilson(0, 0), difference_of_shares(1, 2, 0, 0), difference_of_means(1.0, 0.5, 1, 2.0, 0.5, 9)"
    assert one(connection, f"[x is null for x in [{nulls.replace('), ', ')::varchar, ')}::varchar]]") == [True] * 3


@pytest.mark.parametrize(("n", "remark"), [(0, "only 0"), (9, "only 9"), (10, None)])
def test_few_remarks_on_numbers_below_ten(connection: duckdb.DuckDBPyConnection, n: int, remark: str | None) -> None:
    assert one(connection, "few(?)", n) == remark


@pytest.mark.parametrize("span", ["7d", "24h", "90m", "2w", "1 month", "30 seconds"])
def test_since_is_a_time_in_utc_whatever_the_time_zone(connection: duckdb.DuckDBPyConnection, span: str) -> None:
    assert one(connection, "since(?) = (now() at time zone 'UTC') - ?::interval", span, span)
    assert one(connection, "typeof(since('7d'))") == "TIMESTAMP"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("city", "Paris", id="a name"),
        pytest.param("stay.nights", "3", id="within an object"),
        pytest.param("cities[1]", "Oslo", id="within a list"),
        pytest.param('$."the name"', "x", id="a path"),
        pytest.param("missing", None, id="absent"),
    ],
)
def test_arg_reads_one_argument_of_the_column_or_of_the_row(
    connection: duckdb.DuckDBPyConnection, path: str, value: str | None
) -> None:
    args = '{"city": "Paris", "stay": {"nights": 3}, "cities": ["Rome", "Oslo"], "the name": "x"}'
    calls = f"(select '{args}'::json as args, 'search' as name) as calls"
    assert one(connection, f"arg(args, ?) from {calls}", path) == value
    assert one(connection, f"arg(calls, ?) from {calls}", path) == value


@pytest.mark.parametrize(
    ("error", "kind", "pattern"),
    [
        (
            "requests.exceptions.ReadTimeout: no answer in 30 s",
            "ReadTimeout",
            "requests.exceptions.ReadTimeout: no answer in <n> s",
        ),
        ("HTTP 503 from https://api.example.com/v1/x?id=3", "HTTP 503", "HTTP <n> from <url>"),
        ("RATE_LIMIT_EXCEEDED for user 12", "RATE_LIMIT_EXCEEDED", "RATE_LIMIT_EXCEEDED for user <n>"),
        ("KeyError: 'order'", "KeyError", "KeyError: <text>"),
        ("no such file: /srv/app/data.json", None, "no such file: <path>"),
        ("order ORD-12345 of call_a1b2c3d4e5 is gone", None, "order <id> of <id> is gone"),
        ("", None, ""),
        (None, None, None),
    ],
)
def test_error_has_a_kind_and_a_pattern_without_what_differs(
    connection: duckdb.DuckDBPyConnection, error: str | None, kind: str | None, pattern: str | None
) -> None:
    assert one(connection, "error_class(?)", error) == kind
    assert one(connection, "error_pattern(?)", error) == pattern


def test_pattern_id_differs_by_each_of_its_parts(connection: duckdb.DuckDBPyConnection) -> None:
    ids = [
        one(connection, "pattern_id(?, ?, ?, ?)", *parts)
        for parts in [
            ("book", None, "KeyError", "x"),
            (None, "book", "KeyError", "x"),
            ("book", None, None, "x"),
            ("book", None, "KeyError", "y"),
        ]
    ]
    assert len({*ids}) == 4
    assert {len(id_) for id_ in ids} == {12}

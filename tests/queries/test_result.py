"""One answer in every form. The values come from a real DuckDB, so that the types are its own."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from typing import Any

import duckdb
import orjson
import pyarrow as pa
import pyarrow.parquet
import pytest
from rich.console import Console

from tracegrade.queries import fence
from tracegrade.queries.formats import FORMATS
from tracegrade.queries.result import Result, plain_rows
from tracegrade.queries.terminal import expanded_rows, terminal_table

EVERY_TYPE = """
    select
        true as flag, 42::bigint as count, 0.5::double as mean, 'search' as name, 1.10::decimal(9, 2) as cost_usd,
        timestamp '2026-03-01 12:00:00.5' as started_at, timestamptz '2026-03-01 12:00:00+01' as zoned,
        timestamp_ns '2026-03-01 12:00:00.123456789' as exact, date '2026-03-01' as day, time '12:00:01' as clock,
        'x'::blob as body, uuid '00000000-0000-0000-0000-000000000001' as id, interval '1 month 2 days 3.5 s' as gap,
        '{"a": 1}'::json as args, [1, null] as list, {'a': [timestamp '2026-03-01 12:00:00']} as struct,
        map {'k': 1} as map, [1, 2]::int[2] as pair, 'ok'::enum ('ok', 'error') as status,
        union_value(number := 1) as either, null as nothing
"""


def answer(sql: str, max_rows: int = 1000) -> Result:
    with duckdb.connect() as connection:
        fence.harden(connection)
        return fence.read(connection.cursor, sql, timeout_s=30, max_rows=max_rows)


def as_json(sql: str) -> Any:
    return orjson.loads(FORMATS["json-table"].render(answer(sql)))


def as_objects(sql: str) -> Any:
    return orjson.loads(FORMATS["json"].render(answer(sql)))


def as_csv(sql: str) -> str:
    return FORMATS["csv"].render(answer(sql)).decode()


def arrow_table(name: str, body: bytes) -> pa.Table:
    return pa.ipc.open_stream(body).read_all() if name == "arrow" else pyarrow.parquet.read_table(io.BytesIO(body))


def shown(sql: str, width: int = 80) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    found = answer(sql)
    console.print(terminal_table(found.columns, list(plain_rows(found)), width=width).table)
    return console.export_text()


def left_out(sql: str, width: int) -> tuple[str, ...]:
    found = answer(sql)
    return terminal_table(found.columns, list(plain_rows(found)), width=width).left_out


def expanded(sql: str) -> list[str]:
    found = answer(sql)
    return [line.plain for line in expanded_rows(found.columns, list(plain_rows(found)))]


def test_json_names_columns_with_duckdbs_types_and_says_whether_there_was_more() -> None:
    body = orjson.loads(
        FORMATS["json-table"].render(answer("select range as n, 'x' as name from range(3)", max_rows=2))
    )
    assert body.pop("elapsed_ms") > 0
    assert body == {
        "columns": [{"name": "n", "type": "BIGINT"}, {"name": "name", "type": "VARCHAR"}],
        "rows": [[0, "x"], [1, "x"]],
        "truncated": True,
    }


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("null", None),
        ("true", True),
        ("42", 42),
        ("9007199254740992", 2**53),
        ("9007199254740993", "9007199254740993"),
        ("(-9007199254740993)::bigint", "-9007199254740993"),
        ("sum(7)", 7),
        ("170141183460469231731687303715884105727::hugeint", "170141183460469231731687303715884105727"),
        ("0.5::double", 0.5),
        ("1.10::decimal(9, 2)", 1.1),
        ("1234567890123456789.5::decimal(38, 1)", "1234567890123456789.5"),
        ("0.1234567890123456789::decimal(38, 19)", "0.1234567890123456789"),
        ("'nan'::double", "NaN"),
        ("'inf'::float", "Infinity"),
        ("'-inf'::double", "-Infinity"),
        ("timestamp '2026-03-01 12:00:00'", "2026-03-01T12:00:00.000000Z"),
        ("timestamptz '2026-03-01 12:00:00+01'", "2026-03-01T11:00:00.000000Z"),
        ("'2026-03-01 12:00:00'::timestamp_s", "2026-03-01T12:00:00Z"),
        ("'2026-03-01 12:00:00.123456789'::timestamp_ns", "2026-03-01T12:00:00.123456789Z"),
        ("timestamp '1066-10-14 09:00:00'", "1066-10-14T09:00:00.000000Z"),
        ("date '2026-03-01'", "2026-03-01"),
        ("time '12:00:01.5'", "12:00:01.500000"),
        ("interval '1 month 2 days 3.5 s'", "P1M2DT3.5S"),
        ("interval '0 s'", "PT0S"),
        ("interval '1 year'", "P12M"),
        ("'\\x00\\xFF'::blob", "AP8="),
        ("uuid '00000000-0000-0000-0000-000000000001'", "00000000-0000-0000-0000-000000000001"),
        ("'{\"a\":  1}'::json", '{"a":  1}'),
        ("'ok'::enum ('ok', 'error')", "ok"),
        ("[1, null, 3]", [1, None, 3]),
        ("[]::int[]", []),
        ("null::int[]", None),
        ("[9007199254740993]", ["9007199254740993"]),
        ("[[date '2026-03-01'], null]", [["2026-03-01"], None]),
        ("[1, 2]::int[2]", [1, 2]),
        ("{'a': 1, 'b': {'c': 'nan'::double}}", {"a": 1, "b": {"c": "NaN"}}),
        ("null::struct(a int)", None),
        ("map {'k': [1], 'l': []}", {"k": [1], "l": []}),
        ("map {1: 'one'}", {"1": "one"}),
        ("null::map(varchar, int)", None),
        ("union_value(number := 1)", 1),
    ],
)
def test_json_value(expression: str, value: object) -> None:
    assert as_json(f"select {expression} as value")["rows"] == [[value]]


def test_nested_values_stay_in_their_rows() -> None:
    rows = as_json("select i, case when i % 2 = 0 then {'n': i, 'list': [i] } end from range(3) as t(i)")["rows"]
    assert rows == [[0, {"n": 0, "list": [0]}], [1, None], [2, {"n": 2, "list": [2]}]]


def test_columns_of_the_same_name_are_both_kept() -> None:
    assert as_json("select 1 as n, 2 as n")["rows"] == [[1, 2]]


def test_json_is_a_list_of_objects_and_jsonl_an_object_a_line() -> None:
    sql = "select * from (values (1, 'a'), (2, null)) as t(n, name)"
    assert as_objects(sql) == [{"n": 1, "name": "a"}, {"n": 2, "name": None}]
    assert FORMATS["jsonl"].render(answer(sql)) == b'{"n":1,"name":"a"}\n{"n":2,"name":null}\n'


def test_json_column_of_an_object_is_the_json_that_it_holds_to_the_last_digit() -> None:
    sql = (
        """select '{"model": "m", "n": 9007199254740993}'::json as attributes, '{"a": 1}' as told, null::json as none"""
    )
    body = FORMATS["json"].render(answer(sql))
    assert orjson.loads(body) == [
        {"attributes": {"model": "m", "n": 9007199254740993}, "told": '{"a": 1}', "none": None}
    ]
    assert b"9007199254740993" in body


def test_json_that_others_cannot_read_stays_text() -> None:
    assert as_objects("""select '{"value": NaN}'::json as body""") == [{"body": '{"value": NaN}'}]


def test_stored_json_of_several_lines_is_one_line_of_jsonl() -> None:
    body = FORMATS["jsonl"].render(answer("select e'{\"a\":\\n 1}'::json as body from range(2)"))
    assert [orjson.loads(line) for line in body.splitlines()] == [{"body": {"a": 1}}] * 2


def test_objects_keep_columns_of_the_same_name_apart() -> None:
    assert as_objects("select 1 as n, 2 as n, 3 as n_1, 4 as n") == [{"n": 1, "n_2": 2, "n_1": 3, "n_3": 4}]


def test_csv_tells_null_from_empty_text_and_quotes_what_needs_it() -> None:
    text = as_csv("""
        select * from (values (1, 'a,b', null), (2, 'say "hi"', ''), (3, e'two\\nlines', ' x')) as t(n, "a b", c)
    """)
    assert text == 'n,a b,c\n1,"a,b",\n2,"say ""hi""",""\n3,"two\nlines"," x"\n'
    assert [row[0] for row in csv.reader(io.StringIO(text))] == ["n", "1", "2", "3"]


def test_csv_writes_every_digit_and_nested_values_as_json() -> None:
    assert as_csv("select 9007199254740993 as n, {'a': [1]} as s, true as t, 0.1::double as d") == (
        'n,s,t,d\n9007199254740993,"{""a"":[1]}",true,0.1\n'
    )


@pytest.mark.parametrize("name", FORMATS)
def test_every_type_can_be_written_in_every_form(name: str) -> None:
    assert FORMATS[name].render(answer(EVERY_TYPE))


@pytest.mark.parametrize("name", FORMATS)
def test_answer_without_rows_still_has_its_columns(name: str) -> None:
    body = FORMATS[name].render(answer("select 1 as n, 'x' as name where false"))
    if name in ("json", "jsonl"):
        assert body.split() in ([], [b"[]"])
        return
    if name == "json-table":
        columns = [column["name"] for column in orjson.loads(body)["columns"]]
    elif name.startswith("csv"):
        columns = body.decode().strip().split(",")
    else:
        columns = arrow_table(name, body).column_names
    assert columns == ["n", "name"]


@pytest.mark.parametrize("name", ["arrow", "parquet"])
def test_types_are_kept(name: str) -> None:
    result = answer("select 1::bigint as n, timestamp '2026-03-01 12:00:00' as time, [1.5] as list")
    table = arrow_table(name, FORMATS[name].render(result))
    assert table.column("n").type == pa.int64()
    assert table.column("time").to_pylist() == [datetime(2026, 3, 1, 12)]  # noqa: DTZ001  # naive is UTC here
    assert table.num_rows == 1


def test_parquet_has_text_for_types_it_does_not_know() -> None:
    table = arrow_table("parquet", FORMATS["parquet"].render(answer("select interval '1 day' as gap")))
    assert table.column("gap").to_pylist() == ["P1D"]


def test_rows_are_python_values() -> None:
    ((count, started_at, exact, missing),) = answer(
        "select 42, timestamp '2026-03-01 12:00:00', '2026-03-01 12:00:00.123456789'::timestamp_ns, null"
    ).rows
    assert (count, missing) == (42, None)
    assert started_at == datetime(2026, 3, 1, 12)  # noqa: DTZ001  # naive is UTC here
    assert exact == datetime(2026, 3, 1, 12, microsecond=123456)  # noqa: DTZ001


def test_time_that_python_cannot_hold_is_text() -> None:
    assert answer("select timestamp 'infinity'").rows[0][0].endswith("Z")


def test_terminal_shows_null_and_puts_numbers_to_the_right() -> None:
    lines = shown("select * from (values (1, 'search'), (1000, null)) as t(calls, tool)").splitlines()
    assert "│     1 │ search │" in lines
    assert "│  1000 │ ∅      │" in lines


def test_terminal_folds_long_text_and_cuts_endless_text() -> None:
    assert shown("select repeat('x', 200) as content", width=40).count("x") == 200
    assert "8000 characters more" in shown("select repeat('x', 10000) as content", width=400)


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        pytest.param("'[red]x[/red]'", "[red]x[/red]", id="markup"),
        pytest.param("'a' || chr(27) || '[2J' || chr(7)", "a<U+001B>[2J<U+0007>", id="escape sequence"),
        pytest.param("chr(155) || '2J'", "<U+009B>2J", id="eight-bit escape sequence"),
        pytest.param("'a' || chr(8238) || 'b'", "a<U+202E>b", id="turned direction"),
    ],
)
def test_terminal_shows_foreign_text_and_never_obeys_it(text: str, visible: str) -> None:
    assert visible in shown(f"select {text} as content")


WIDE = "select 'run_completion' as evaluator, 0.5 as value, null as label, repeat('because ', 20) as explanation, "
WIDE += ", ".join(f"repeat('x', 40) as id_{number}" for number in range(8))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_table_is_never_wider_than_the_terminal(width: int) -> None:
    lines = shown(WIDE, width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert {line[-1] for line in lines} <= set("┓┩┃│┘┤")


def test_columns_without_room_are_named_those_without_a_value_first() -> None:
    assert left_out(WIDE, width=400) == ()
    assert left_out(WIDE, width=174) == ("label",)
    assert left_out(WIDE, width=80) == ("label", *(f"id_{number}" for number in range(2, 8)))


def test_columns_that_are_shown_keep_room_to_be_read() -> None:
    text = shown(WIDE, width=80)
    assert "because" in text
    assert "evaluator" in text
    assert text.count("x") == 1 + 2 * 40


def test_only_column_is_folded_however_narrow_the_terminal() -> None:
    assert shown("select repeat('x', 60) as content", width=10).count("x") == 60


def test_expanded_rows_have_a_column_a_line_below_a_heading_each() -> None:
    lines = expanded("select * from (values (1, 'search'), (2, null)) as t(calls, tool)")
    assert [line.rstrip("─ ") for line in lines] == [
        "── row 1",
        "calls  1",
        "tool   search",
        "── row 2",
        "calls  2",
        "tool   ∅",
    ]


def test_value_of_several_lines_cannot_forge_a_column() -> None:
    assert expanded("select e'no\\nscore  1.00' as explanation")[1:] == ["explanation  no", "             score  1.00"]

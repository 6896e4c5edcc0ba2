"""Answers of any size: from the file, through the server that holds it, and into a pipe that is closed early."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.command import PROGRAM, Done, environment, inside
from tests.support.server import Server, running

ROWS = 25_000
MANY = f"select range as n, 'x' as name from range({ROWS})"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that no server holds."""
    folder = tmp_path_factory.mktemp("export")
    (folder / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip()))
    assert inside("import", "--store", "store.duckdb", "trip.pb", at=folder).code == 0
    return folder / "store.duckdb"


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("held") / "store.duckdb") as server:
        yield server


@pytest.fixture(params=["file", "server"])
def where(request: pytest.FixtureRequest, file: Path) -> list[str]:
    """Both ways to the store, as options."""
    if request.param == "file":
        return ["--store", str(file)]
    server: Server = request.getfixturevalue("held")
    return ["--server", server.web]


def sql(where: list[str], query: str, *options: str, at: Path) -> Done:
    return inside("sql", *where, *options, query, at=at)


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_export_has_every_row_and_says_nothing(where: list[str], tmp_path: Path, form: str) -> None:
    done = sql(where, MANY, "--format", form, at=tmp_path)
    assert (done.code, done.err) == (0, "")
    match form:
        case "csv":
            numbers = [int(row["n"]) for row in csv.DictReader(io.StringIO(done.text))]
        case "json":
            numbers = [row["n"] for row in json.loads(done.out)]
        case _:
            numbers = [json.loads(line)["n"] for line in done.out.splitlines()]
    assert numbers == list(range(ROWS))


def test_limit_that_cuts_an_export_is_told_on_stderr(where: list[str], tmp_path: Path) -> None:
    done = sql(where, MANY, "--format", "csv", "--limit", "3", at=tmp_path)
    assert (done.code, done.text) == (0, "n,name\n0,x\n1,x\n2,x\n")
    assert "only the first 3 rows were written" in done.err
    whole = sql(where, "select 1 as n", "--format", "csv", "--limit", "3", at=tmp_path)
    assert (whole.text, whole.err) == ("n\n1\n", "")


def test_table_that_is_cut_is_told_on_stderr_with_the_way_to_all_rows(where: list[str], tmp_path: Path) -> None:
    done = sql(where, MANY, at=tmp_path)
    assert done.code == 0
    assert "│ 999 │ x" in done.text
    assert "│ 1000 │" not in done.text
    assert "only the first 1,000 rows are shown: --limit shows more, --format csv writes all" in done.err
    assert sql(where, "select 1", at=tmp_path).err == ""


def test_json_table_says_whether_it_was_cut_and_has_the_types(where: list[str], tmp_path: Path) -> None:
    done = sql(where, MANY, "--format", "json-table", "--limit", "2", at=tmp_path)
    told = json.loads(done.out)
    assert told["truncated"] is True
    assert done.out.endswith(b"}\n")  # a terminal's next line is not this one
    assert told["rows"] == [[0, "x"], [1, "x"]]
    assert told["columns"] == [{"name": "n", "type": "BIGINT"}, {"name": "name", "type": "VARCHAR"}]
    whole = json.loads(sql(where, MANY, "--format", "json-table", at=tmp_path).out)
    assert (whole["truncated"], len(whole["rows"])) == (False, ROWS)


def test_query_that_fails_is_told_before_anything_is_written(where: list[str], tmp_path: Path) -> None:
    done = sql(where, "select nme from spans", "--format", "csv", at=tmp_path)
    assert (done.code, done.out) == (2, b"")
    assert "name" in done.err


def test_export_that_fails_in_the_middle_does_not_end_well(where: list[str], tmp_path: Path) -> None:
    content = "case when range = 200000 then error('late at ' || range) else repeat('x', 50) end"
    done = sql(where, f"select {content} as content from range(300000)", "--format", "csv", at=tmp_path)
    assert done.code in (2, 4)
    assert done.out.count(b"\n") < 200_001
    told = ("late at 200000", "failed in the middle of its answer", "so the output is incomplete")
    assert any(words in done.err for words in told), done.err


def test_reader_that_has_enough_ends_an_export_quietly(file: Path) -> None:
    command = [PROGRAM, "sql", "--store", str(file), "--format", "csv", "from range(3000000)"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment({}), cwd=file.parent
    ) as export:
        assert export.stdout is not None
        assert export.stderr is not None
        assert export.stdout.readline() == b"range\n"
        export.stdout.close()
        assert export.stderr.read() == b""
    assert export.returncode == 0


def test_expanded_shows_a_column_a_line(where: list[str], tmp_path: Path) -> None:
    done = sql(where, "select 1 as calls, 'search' as tool", "--expanded", at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "calls  1\ntool   search\n" in done.text


def test_expanded_is_no_form_of_an_export(file: Path) -> None:
    done = inside("sql", "--store", file, "--expanded", "--format", "csv", "select 1", at=file.parent)
    assert done.code == 2
    assert "--format csv" in done.err


def test_table_in_a_pipe_is_whole_however_wide(where: list[str], tmp_path: Path) -> None:
    done = sql(where, "select repeat('x', 300) as a, repeat('y', 300) as b", at=tmp_path)
    assert f"│ {'x' * 300} │ {'y' * 300} │" in done.text


def test_table_on_a_terminal_fits_it_and_names_the_columns_without_room(file: Path) -> None:
    shown, told = on_a_terminal("sql", "--store", str(file), "select * from latest_scores", columns=80, at=file.parent)
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert "score_id" in shown
    assert "columns omitted at a width of 80:" in told
    assert "--expanded" in told


def test_query_of_the_banner_fits_eighty_columns_whole(held: Server, file: Path) -> None:
    greeting = held.store.with_name(f"{held.store.name}.out").read_text()
    query = next(line for line in greeting.splitlines() if "tracegrade sql" in line).split('"')[1]
    shown, told = on_a_terminal("sql", "--store", str(file), query, columns=80, at=file.parent)
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert told == ""


def on_a_terminal(*arguments: str, columns: int, at: Path) -> tuple[str, str]:
    """What a command prints on a terminal so wide, and what it says on stderr."""
    reading, writing = pty.openpty()
    fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    usual = {name: value for name, value in environment({}).items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**usual, "TERM": "dumb", "NO_COLOR": "1"},
        cwd=at,
    ) as command:
        os.close(writing)
        shown = b"".join(iter(lambda: _read(reading), b""))
        os.close(reading)
        assert command.stderr is not None
        told = command.stderr.read().decode()
    assert command.returncode == 0, told
    return shown.decode().replace("\r\n", "\n"), told


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end has been closed
        return b""

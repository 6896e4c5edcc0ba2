"""A file that somebody else has made is opened as a store: nothing of its author's is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from tests.support.command import inside
from tests.support.server import running

from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.errors import StoreUnavailable

ENDLESS = "with recursive n as (select 1 as i union all select i + 1 from n) select i::varchar as file from n"
BOOKKEEPING = """
    create table schema_history (file varchar, sha256 varchar, applied_at timestamp, tracegrade_version varchar);
    create table schema_objects (kind varchar, name varchar, sha256 varchar);
"""

Made = Callable[..., Path]


@pytest.fixture
def make_file(tmp_path: Path) -> Made:
    """A file that DuckDB made of some statements."""

    def make(*statements: str) -> Path:
        path = tmp_path / "foreign.duckdb"
        with duckdb.connect(str(path)) as connection:
            for each in statements:
                connection.execute(each)
        return path

    return make


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store that we have made."""
    path = tmp_path / "store.duckdb"
    DuckDbFile(path).close()
    return path


def changed(store: Path, *statements: str) -> Path:
    """The same with what somebody did to it."""
    with duckdb.connect(str(store)) as connection:
        for each in statements:
            connection.execute(each)
    return store


@pytest.mark.parametrize("kind", ["view", "macro"])
def test_name_that_ends_its_quotes_is_a_name_like_any_other(store: Path, tmp_path: Path, kind: str) -> None:
    taken = tmp_path / "taken.csv"
    name = f"""x"; copy (select 1) to '{taken}'; --""".replace("'", "''")
    changed(store, f"insert into schema_objects values ('{kind}', '{name}', 'of an earlier version')")
    DuckDbFile(store).close()
    assert not taken.exists()
    with duckdb.connect(str(store)) as connection:
        names = connection.execute("select name from schema_objects where name like 'x\"%'").fetchall()
    assert names == []  # it was dropped with what no longer exists


@pytest.mark.parametrize("table", ["schema_history", "schema_objects", "spans", "scores"])
def test_view_in_place_of_a_table_is_refused_before_it_is_read(make_file: Made, table: str) -> None:
    others = "" if table.startswith("schema_") else BOOKKEEPING
    path = make_file(*filter(None, [others]), f"create view {table} as {ENDLESS}")
    with pytest.raises(StoreUnavailable, match=rf'its "{table}" is a view, where a store has a table'):
        DuckDbFile(path)


@pytest.mark.parametrize("function", ["max", "greatest", "current_setting"])
def test_macro_in_place_of_a_function_reads_no_file(store: Path, tmp_path: Path, function: str) -> None:
    (tmp_path / "secret.txt").write_text("hunter2", encoding="utf-8")
    changed(store, f"create macro {function}(x) as (select content from read_text('{tmp_path}/secret.txt'))")
    database = DuckDbFile(store)
    with database.cursor() as connection, pytest.raises(duckdb.PermissionException, match="disabled"):
        connection.execute(f"select {function}(1)").fetchall()
    database.close()


def test_macro_does_not_make_us_believe_that_the_instance_is_shut(store: Path, tmp_path: Path) -> None:
    changed(store, "create macro current_setting(name) as true")
    database = DuckDbFile(store)
    with database.cursor() as connection, pytest.raises(duckdb.InvalidInputException, match="locked"):
        connection.execute("set global memory_limit = '1GB'")
    database.close()


def test_view_reads_no_file_though_its_bookkeeping_is_in_order(store: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hunter2", encoding="utf-8")
    changed(store, f"create or replace view latest_scores as select content from read_text('{tmp_path}/secret.txt')")
    database = DuckDbFile(store)
    with database.cursor() as connection, pytest.raises(duckdb.PermissionException, match="disabled"):
        connection.execute("from latest_scores").fetchall()
    database.close()


@pytest.fixture
def distrusted() -> Iterator[Callable[[Path], DuckDbFile]]:
    """Opens a store as those do who run our statements on it."""
    opened: list[DuckDbFile] = []

    def distrust(path: Path) -> DuckDbFile:
        opened.append(DuckDbFile(path))
        opened[-1].reinstall_definitions()
        return opened[-1]

    yield distrust
    for database in opened:
        database.close()


@pytest.mark.parametrize(
    ("forged", "query", "expected"),
    [
        pytest.param(f"view latest_scores as {ENDLESS}", "select count(*) from latest_scores", 0, id="view"),
        pytest.param(
            f"macro attr(attributes, key) as (select max(file) from ({ENDLESS}))",
            """select attr('{"a": "b"}'::json, 'a')""",
            "b",
            id="macro",
        ),
    ],
)
def test_what_never_ends_under_a_name_of_ours_is_ours_again(
    store: Path, distrusted: Callable[[Path], DuckDbFile], forged: str, query: str, expected: object
) -> None:
    changed(store, f"create or replace {forged}")
    with distrusted(store).cursor() as connection:
        assert connection.execute(query).fetchall() == [(expected,)]


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        pytest.param(["create macro max(x) as 42"], 'a macro with the name of DuckDB\'s function "max"', id="function"),
        pytest.param(
            ['create macro "~~"(a, b) as true'], 'a macro with the name of DuckDB\'s function "~~"', id="operator"
        ),
        pytest.param(
            ["drop view latest_scores", "create table latest_scores (value double)"],
            'its "latest_scores" is not a view',
            id="table in place of a view",
        ),
    ],
)
def test_store_that_was_made_to_deceive_is_refused_by_who_stays(
    store: Path, distrusted: Callable[[Path], DuckDbFile], statements: list[str], reason: str
) -> None:
    with pytest.raises(StoreUnavailable, match=reason):
        distrusted(changed(store, *statements))


def test_macro_of_its_owner_s_is_left_alone(store: Path, distrusted: Callable[[Path], DuckDbFile]) -> None:
    changed(store, "create macro team_of(service) as split_part(service, '-', 1)")
    with distrusted(store).cursor() as connection:
        assert connection.execute("select team_of('search-agent')").fetchall() == [("search",)]


def test_server_works_on_a_store_whose_view_would_never_end(store: Path) -> None:
    changed(store, f"create or replace view latest_scores as {ENDLESS}")
    with running(store) as server:
        assert server.rows("select count(*) from latest_scores") == [[0]]


@pytest.mark.parametrize(
    "statements",
    [
        pytest.param(["create table sales (euros double)"], id="tables"),
        pytest.param([f"create view sales as {ENDLESS}"], id="views"),
        pytest.param(["create table schema_history (file varchar)"], id="half of the bookkeeping"),
    ],
)
def test_database_of_another_program_is_refused_and_stays_as_it_was(make_file: Made, statements: list[str]) -> None:
    path = make_file(*statements)
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="not a store of Tracegrade"):
        DuckDbFile(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        pytest.param(
            [BOOKKEEPING, f"create view spans as {ENDLESS}"],
            'its "spans" is a view, where a store has a table',
            id="made to deceive",
        ),
        pytest.param(["create table sales (euros double)"], "not a store of Tracegrade", id="of another program"),
    ],
)
def test_foreign_snapshot_is_not_restored(make_file: Made, tmp_path: Path, statements: list[str], reason: str) -> None:
    make_file(*statements)
    done = inside("restore", "foreign.duckdb", "--store", "new.duckdb", at=tmp_path)
    assert (done.code, (tmp_path / "new.duckdb").exists()) == (4, False)
    assert "foreign.duckdb cannot be restored" in done.err
    assert reason in done.err

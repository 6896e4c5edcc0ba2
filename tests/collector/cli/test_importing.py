from __future__ import annotations

import os
from pathlib import Path

import pytest

from tracegrade.collector.cli import importing
from tracegrade.collector.config.settings import load
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile

SMALL, LARGE = 2**20, 2**30


@pytest.mark.parametrize(
    ("file_bytes", "store_bytes", "threads"),
    [
        pytest.param(SMALL, None, 1, id="a small file into a new store"),
        pytest.param(SMALL, SMALL, 1, id="a small file into a small store"),
        pytest.param(LARGE, None, None, id="a large file"),
        pytest.param(SMALL, LARGE, None, id="a large store"),
    ],
)
def test_only_a_small_import_does_with_one_thread(
    tmp_path: Path, file_bytes: int, store_bytes: int | None, threads: int | None
) -> None:
    file, store = tmp_path / "spans.pb", tmp_path / "store.duckdb"
    for path, size in ((file, file_bytes), (store, store_bytes)):
        if size is not None:
            path.touch()
            os.truncate(path, size)
    assert importing._choose_threads(load(store=str(store)), [file]) == threads


def test_store_has_the_threads_that_it_is_given(tmp_path: Path) -> None:
    database = DuckDbFile(tmp_path / "store.duckdb", threads=1)
    with database.cursor() as connection:
        assert connection.execute("select current_setting('threads')").fetchall() == [(1,)]
    database.close()

"""A store URL names a place, of which a command knows enough without opening the store."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.store import opened

from tracegrade.collector.client import discovery
from tracegrade.collector.store.engines.selection import locate, open_in_memory
from tracegrade.collector.store.errors import StoreUnavailable


def test_url_and_path_name_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    assert locate(f"duckdb:///{path}") == locate(str(path)) == locate(path)


@pytest.mark.parametrize("url", ["postgres://host/name", "ducklake:catalog.db", "md:team"])
def test_scheme_that_no_engine_has_is_refused_with_those_that_one_has(url: str) -> None:
    with pytest.raises(StoreUnavailable, match="only duckdb:///FILE or a path"):
        locate(url)


def test_place_without_a_store_has_no_size_and_no_holder(tmp_path: Path) -> None:
    location = locate(tmp_path / "store.duckdb")
    assert (location.exists(), location.size_bytes(), location.find_holder(), location.find_fault()) == (
        False,
        0,
        None,
        None,
    )


def test_place_that_no_server_could_use_says_why(tmp_path: Path) -> None:
    assert "is a folder" in (locate(tmp_path).find_fault() or "")
    assert "does not exist" in (locate(tmp_path / "none" / "store.duckdb").find_fault() or "")
    with pytest.raises(StoreUnavailable, match="does not exist"):
        locate(tmp_path / "none" / "store.duckdb").open()


def test_companions_of_a_file_are_beside_it(tmp_path: Path) -> None:
    assert locate(tmp_path / "s.duckdb").companion("server") == tmp_path / "s.duckdb.server"


def test_note_that_was_left_under_a_url_is_found_by_the_path(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    address = "http://127.0.0.1:1"
    discovery.leave_note(f"duckdb:///{path}", url=address, otlp_url=address, otlp_grpc="127.0.0.1:2", version="1")
    note = discovery.read_note(str(path))
    assert note is not None
    assert note.pid == os.getpid()
    discovery.remove_note(str(path))
    assert discovery.read_note(f"duckdb:///{path}") is None


def test_store_in_memory_is_empty_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database = open_in_memory()
    with database.cursor() as connection:
        assert connection.execute("select count(*) from spans").fetchall() == [(0,)]
    database.close()
    assert list(tmp_path.iterdir()) == []


def test_place_is_known_without_duckdb(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    code = (
        "import sys\n"
        "from tracegrade.collector.store.engines.selection import locate\n"
        "location = locate(sys.argv[1])\n"
        "assert location.exists() and location.size_bytes() and location.find_holder() is None\n"
        "assert 'duckdb' not in sys.modules and 'pyarrow' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "store.duckdb"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr

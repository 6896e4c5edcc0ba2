"""Who may read what a store holds, and where its files lead: its user alone, and nowhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.command import inside
from tests.support.server import running

from tracegrade.collector.client import discovery
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.engines.duckdb_file.disk_space import find_write_error
from tracegrade.collector.store.errors import StoreUnavailable


def modes(folder: Path) -> dict[str, int]:
    """The rights to each file of a store that others than its user have."""
    return {file.name: file.stat().st_mode & 0o077 for file in folder.iterdir() if file.name.startswith("s.duckdb")}


@pytest.fixture(autouse=True)
def generous() -> None:
    """The mask that most machines have."""
    os.umask(0o022)


def test_store_and_log_of_a_server_are_its_user_s_alone(tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    with running(tmp_path / "served" / "s.duckdb") as server:
        server.post(b"")
        found = {name: mode for name, mode in modes(tmp_path / "served").items() if not name.endswith((".out", ".err"))}
    assert {"s.duckdb", "s.duckdb.wal", "s.duckdb.server"} <= found.keys()
    assert set(found.values()) == {0}


def test_store_that_others_could_read_is_taken_from_them_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    DuckDbFile(path).close()
    path.chmod(0o644)
    DuckDbFile(path).close()
    assert modes(tmp_path) == {"s.duckdb": 0}


def test_snapshot_and_what_is_restored_from_it_are_their_user_s_alone(tmp_path: Path) -> None:
    DuckDbFile(tmp_path / "store.duckdb").close()
    os.umask(0o022)
    for command in (
        ("snapshot", "s.duckdb.copy", "--store", "store.duckdb"),
        ("restore", "s.duckdb.copy", "--store", "s.duckdb"),
    ):
        done = inside(*command, at=tmp_path)
        assert done.code == 0, done.err
    assert modes(tmp_path) == {"s.duckdb": 0, "s.duckdb.copy": 0}


@pytest.mark.parametrize("end", ["", ".wal", ".wal.checkpoint", ".wal.recovery", ".tmp"])
@pytest.mark.parametrize("leads", ["to a file", "nowhere"])
def test_store_is_not_written_through_a_link(tmp_path: Path, end: str, leads: str) -> None:
    path, other = tmp_path / "s.duckdb", tmp_path / "other"
    if end:
        DuckDbFile(path).close()
    if leads == "to a file":
        other.write_text("mine", encoding="utf-8")
    path.with_name(f"s.duckdb{end}").symlink_to(other)
    with pytest.raises(StoreUnavailable, match=f"s.duckdb{end} is a link"):
        DuckDbFile(path)
    assert (other.read_text() if other.exists() else None) == ("mine" if leads == "to a file" else None)


def test_link_in_place_of_a_draft_leads_nothing_elsewhere(tmp_path: Path) -> None:
    store, other = tmp_path / "s.duckdb", tmp_path / "other"
    other.write_text("mine", encoding="utf-8")
    for name in (f"s.duckdb.server.{os.getpid()}", "s.duckdb.server", f"s.duckdb.{os.getpid()}.probe"):
        (tmp_path / name).symlink_to(other)
    discovery.leave_note(str(store), url="http://127.0.0.1:1", otlp_url="http://127.0.0.1:2", otlp_grpc="", version="1")
    assert find_write_error(store) is None
    assert (other.read_text(), discovery.read_note(str(store)) is not None) == ("mine", True)

"""Snapshots while the server goes on, and the way back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from tests.support import agent_spans
from tests.support.command import inside, tracegrade
from tests.support.server import Server, new_trace, running

from tracegrade.collector.store.engines.duckdb_file.copies import lock_file
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.engines.duckdb_file.descriptor import OpenFile
from tracegrade.collector.store.errors import StoreFull, StoreUnavailable
from tracegrade.collector.store.maintenance.checkpoints import Checkpoints
from tracegrade.collector.store.maintenance.snapshots import StoreSnapshot


@pytest.fixture
def store_with_a_run(tmp_path: Path) -> Path:
    """A store with one run that nobody has open."""
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip()))
    assert inside("import", "--store", "store.duckdb", "trip.pb", at=tmp_path).code == 0
    return tmp_path / "store.duckdb"


@contextmanager
def exporting(server: Server) -> Iterator[list[int]]:
    """Exports runs one after the other, and gives the numbers of those that were acknowledged."""
    acknowledged: list[int] = []
    stopped = threading.Event()

    def export() -> None:
        while not stopped.is_set():
            number = new_trace()
            server.export(agent_spans.trip(number))
            acknowledged.append(number)

    thread = threading.Thread(target=export)
    thread.start()
    try:
        yield acknowledged
    finally:
        stopped.set()
        thread.join()


def catalog_of(path: Path) -> set[tuple[str, str]]:
    """Every table, view, macro, sequence and index by kind and name."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return set(
            connection.execute(
                """select 'table', table_name from duckdb_tables() union all
                   select 'view', view_name from duckdb_views() where not internal union all
                   select 'macro', function_name from duckdb_functions() where not internal union all
                   select 'sequence', sequence_name from duckdb_sequences() union all
                   select 'index', index_name from duckdb_indexes()"""
            ).fetchall()
        )


def whole_traces(path: Path) -> dict[str, int]:
    """The number of spans by trace."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return dict(connection.execute("select trace_id, count(*) from spans group by all").fetchall())


def test_snapshot_of_a_running_server_has_all_that_was_acknowledged_and_no_half_export(server: Server) -> None:
    folder = server.store.parent
    with exporting(server) as acknowledged:
        while len(acknowledged) < 3:
            server.one("select 1")
        before = list(acknowledged)
        done = tracegrade("snapshot", "backup.duckdb", "--store", server.store, at=folder)
    assert done.code == 0, done.err
    assert "spans" in done.text
    found = whole_traces(folder / "backup.duckdb")
    assert {f"{number:032x}" for number in before} <= found.keys()
    sent = {f"{number:032x}" for number in acknowledged}  # those that were under way as well
    assert {spans for trace_id, spans in found.items() if trace_id in sent} == {4}
    assert not list(folder.glob("backup.duckdb?*"))


def test_snapshot_holds_what_the_store_is_made_of(store_with_a_run: Path) -> None:
    done = inside("snapshot", "backup.duckdb", "--store", "store.duckdb", at=store_with_a_run.parent)
    assert done.code == 0, done.err
    backup = store_with_a_run.with_name("backup.duckdb")
    assert catalog_of(backup) == catalog_of(store_with_a_run)
    assert {kind for kind, _ in catalog_of(backup)} >= {"table", "view", "macro"}
    DuckDbFile(backup).close()  # as a server would open it


def test_snapshot_takes_what_a_crash_left_in_the_log_and_leaves_the_store_as_it_is(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    with running(store) as server:
        server.export(agent_spans.trip(new_trace()))
        server.kill()
    log = tmp_path / "store.duckdb.wal"
    before = store.read_bytes(), log.read_bytes()
    assert before[1]
    done = inside("snapshot", "backup.duckdb", "--store", "store.duckdb", at=tmp_path)
    assert done.code == 0, done.err
    assert whole_traces(tmp_path / "backup.duckdb").popitem()[1] == 4
    assert (store.read_bytes(), log.read_bytes()) == before


def test_snapshot_by_the_address_of_a_server_requires_its_token(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb", variables={"TRACEGRADE_TOKEN": "open sesame"}) as server:
        at = tmp_path / "elsewhere"
        at.mkdir()
        refused = inside("snapshot", "backup.duckdb", "--server", server.web, at=at)
        assert refused.code == 4
        assert "TRACEGRADE_TOKEN" in refused.err
        assert not list(at.iterdir())
        done = inside("snapshot", "backup.duckdb", "--server", server.web, at=at, TRACEGRADE_TOKEN="open sesame")
        assert done.code == 0, done.err
        assert whole_traces(at / "backup.duckdb") == {}


def test_snapshot_overwrites_nothing_unless_it_is_told_to(store_with_a_run: Path) -> None:
    backup = store_with_a_run.with_name("backup.duckdb")
    backup.write_text("dear to somebody")
    refused = inside("snapshot", backup, "--store", store_with_a_run, at=store_with_a_run.parent)
    assert (refused.code, backup.read_text()) == (2, "dear to somebody")
    assert "--replace" in refused.err
    assert inside("snapshot", backup, "--store", store_with_a_run, "--replace", at=store_with_a_run.parent).code == 0
    assert len(whole_traces(backup)) == 1


@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param(("snapshot", "folder", "--replace"), 2, id="snapshot"),
        pytest.param(("restore", "store.duckdb", "--store", "folder", "--replace"), 4, id="restore"),
    ],
)
def test_folder_in_the_place_of_a_file_is_told(store_with_a_run: Path, command: tuple[str, ...], code: int) -> None:
    (store_with_a_run.parent / "folder").mkdir()
    before = set(store_with_a_run.parent.iterdir())
    done = inside(*command, at=store_with_a_run.parent)
    assert (done.code, done.err.startswith("tracegrade: folder ")) == (code, True), done.err
    assert set(store_with_a_run.parent.iterdir()) == before


def test_snapshot_of_no_store_or_of_no_server_is_told_with_4(tmp_path: Path) -> None:
    done = inside("snapshot", "backup.duckdb", "--store", "none.duckdb", at=tmp_path)
    assert (done.code, "no such store" in done.err) == (4, True)
    done = inside("snapshot", "backup.duckdb", "--server", "http://127.0.0.1:9", at=tmp_path)
    assert (done.code, "does not answer" in done.err) == (4, True)
    assert not list(tmp_path.iterdir())


def test_store_is_checkpointed_while_a_snapshot_is_read_and_stays_locked(tmp_path: Path) -> None:
    copy, clock = tmp_path / "copy.duckdb", [0.0]
    database = DuckDbFile(tmp_path / "store.duckdb", checkpoints_itself=False)
    checkpoints = Checkpoints(database, clock=lambda: clock[0])
    snapshot = StoreSnapshot(database, checkpoints)
    first = snapshot.read(0, 4_096)
    with database.cursor() as connection:
        connection.execute("create table more as select range from range(1000)")
    clock[0] = 10_000.0  # by which the next checkpoint is due
    checkpoints.attend(is_idle=True)
    assert not database.wal_bytes
    rest = (snapshot.read(at, 4_096) for at in range(4_096, snapshot.size_bytes, 4_096))
    copy.write_bytes(first + b"".join(rest))
    snapshot.close()
    done = tracegrade("sql", "--store", "store.duckdb", "select 1", at=tmp_path)
    assert (done.code, "held by process" in done.err) == (4, True)
    database.close()
    assert ("table", "more") not in catalog_of(copy)
    assert ("table", "spans") in catalog_of(copy)


def test_snapshot_of_a_store_that_is_opened_again_meanwhile_is_given_up(tmp_path: Path) -> None:
    class Reopened(DuckDbFile):
        def stored_file(self) -> OpenFile:
            file = super().stored_file()
            self.reopen()
            return file

    database = Reopened(tmp_path / "store.duckdb", checkpoints_itself=False)
    with pytest.raises(StoreUnavailable, match="opened again"):
        StoreSnapshot(database, Checkpoints(database))
    database.close()


def test_snapshot_for_which_the_disk_has_no_room_is_refused(tmp_path: Path) -> None:
    class Full(DuckDbFile):
        def free_bytes(self) -> int:
            return self.stored_file().size_bytes + 10 * 2**20

    database = Full(tmp_path / "store.duckdb", checkpoints_itself=False)
    with pytest.raises(StoreFull, match="a snapshot needs"):
        StoreSnapshot(database, Checkpoints(database))
    database.close()


def test_restore_makes_a_snapshot_the_store_and_keeps_the_former_one(store_with_a_run: Path) -> None:
    at, backup = store_with_a_run.parent, store_with_a_run.with_name("backup.duckdb")
    assert inside("snapshot", backup, "--store", store_with_a_run, at=at).code == 0
    [trace] = whole_traces(backup)
    (at / "more.pb").write_bytes(agent_spans.export_request(agent_spans.trip(2)))
    assert inside("import", "--store", store_with_a_run, "more.pb", at=at).code == 0
    refused = inside("restore", backup, "--store", store_with_a_run, at=at)
    assert (refused.code, "--replace" in refused.err) == (2, True)
    assert len(whole_traces(store_with_a_run)) == 2
    done = inside("restore", backup, "--store", store_with_a_run, "--replace", at=at)
    assert done.code == 0, done.err
    assert whole_traces(store_with_a_run) == {trace: 4}
    [former] = at.glob("store.duckdb.2*")
    assert former.name in done.text
    assert len(whole_traces(former)) == 2


def test_restore_refuses_a_store_that_is_in_use_and_a_file_that_is_no_store(server: Server, tmp_path: Path) -> None:
    backup = tmp_path / "backup.duckdb"
    assert inside("snapshot", backup, "--store", server.store, at=tmp_path).code == 0
    refused = inside("restore", backup, "--store", server.store, "--replace", at=tmp_path)
    assert refused.code == 4
    assert f"pid {server.process.pid}" in refused.err
    assert server.one("select 1") == 1
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("create table t (a integer)")
    (tmp_path / "text.duckdb").write_text("no database at all" * 1_000)
    for file in ("other.duckdb", "text.duckdb", "none.duckdb"):
        refused = inside("restore", file, "--store", "store.duckdb", at=tmp_path)
        assert refused.code in {2, 4}
        assert file in refused.err or "restoring" in refused.err
        assert not (tmp_path / "store.duckdb").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"backup.duckdb", "other.duckdb", "text.duckdb"}


def test_restore_puts_the_log_of_a_store_aside_that_was_removed_by_hand(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    with running(store) as server:
        assert inside("snapshot", "backup.duckdb", "--store", store, at=tmp_path).code == 0
        server.export(agent_spans.trip(new_trace()))
        server.kill()
    store.unlink()
    done = inside("restore", "backup.duckdb", "--store", store, at=tmp_path)
    assert done.code == 0, done.err
    assert whole_traces(store) == {}
    assert [path.name.endswith(".wal") for path in tmp_path.glob("store.duckdb.2*")] == [True]


def test_server_goes_on_from_a_restored_store(store_with_a_run: Path) -> None:
    at, store = store_with_a_run.parent, store_with_a_run.with_name("new.duckdb")
    assert inside("snapshot", "backup.duckdb", "--store", store_with_a_run, at=at).code == 0
    assert inside("restore", "backup.duckdb", "--store", store, at=at).code == 0
    number = new_trace()
    with running(store) as server:
        server.export(agent_spans.trip(number))
        server.scores(f"{number:032x}")
        assert server.one("select count(distinct trace_id) from spans") == 2


def test_only_one_process_may_write_what_is_locked(store_with_a_run: Path) -> None:
    with lock_file(store_with_a_run):
        done = tracegrade("import", "--store", store_with_a_run, "trip.pb", at=store_with_a_run.parent)
    assert (done.code, "held by" in done.err) == (4, True)

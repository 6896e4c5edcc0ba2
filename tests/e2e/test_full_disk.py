"""A disk that is full: when the server starts, and while it runs."""

from __future__ import annotations

import signal
from pathlib import Path

import duckdb
import httpx
import pytest
from tests.support import agent_spans
from tests.support.command import tracegrade
from tests.support.disk import let_grow, small_disk
from tests.support.polling import until
from tests.support.server import HURRIED, Server, new_trace, running

FREE = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--web", "127.0.0.1:0")


def readiness(server: Server) -> tuple[int, str]:
    answer = httpx.get(f"{server.web}/readyz", timeout=30, trust_env=False)
    return answer.status_code, answer.json().get("detail", "")


def snapshot(server: Server) -> httpx.Response:
    """Asks for one, which checkpoints."""
    return httpx.post(f"{server.web}/api/v1/snapshot", json={}, timeout=30, trust_env=False)


def test_start_on_a_full_disk_is_told_with_4_before_any_port_opens(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=8) as disk:
        disk.fill()
        done = tracegrade("serve", "--store", disk.folder / "store.duckdb", *FREE, at=tmp_path)
        assert done.code == 4
        assert "Traceback" not in done.err
        assert "no room" in done.err
        assert done.text == ""
        disk.make_room()
        with running(disk.folder / "store.duckdb") as server:
            assert readiness(server) == (200, "")


def test_start_on_a_full_disk_leaves_a_store_that_is_there_as_it_is(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=24) as disk:
        store = disk.folder / "store.duckdb"
        with running(store) as server:
            server.export(agent_spans.trip(new_trace()))
        disk.fill()
        before = store.read_bytes()
        done = tracegrade("serve", "--store", store, *FREE, at=tmp_path)
        assert (done.code, "Traceback" in done.err, done.text) == (4, False, "")
        assert store.read_bytes() == before


def test_server_on_a_full_disk_is_not_ready_and_goes_on_once_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=24) as disk, running(disk.folder / "store.duckdb") as server:
        kept = [new_trace()]
        server.export(agent_spans.trip(kept[0]))
        disk.fill()
        until(lambda: _refused(server, kept))
        code, reason = readiness(server)
        assert code == 503
        assert "No space left" in reason
        assert server.one("select count(*) from spans") >= 4
        disk.make_room()
        until(lambda: readiness(server) == (200, ""))
        kept.append(new_trace())
        server.export(agent_spans.trip(kept[-1]))
        server.scores(f"{kept[-1]:032x}")
        stored = {row[0] for row in server.rows("select distinct trace_id from spans")}
        assert {f"{number:032x}" for number in kept} <= stored


@pytest.mark.nightly
def test_checkpoint_that_fails_costs_no_export_and_no_score(tmp_path: Path) -> None:
    store, sent = tmp_path / "store.duckdb", [new_trace()]
    with running(store) as server:
        server.export(agent_spans.trip(sent[0]))
        server.scores(f"{sent[0]:032x}")
        assert snapshot(server).is_success
        let_grow(server.process.pid, store.stat().st_size)
        failed = until(lambda: _exported_and_checkpointed(server, sent), lambda answer: not answer.is_success)
        assert failed.status_code == 503
        assert "checkpoint" in failed.json()["detail"]
        until(lambda: server.figure("tracegrade_store_reopened_total"))
        until(lambda: readiness(server) == (200, ""))
        _exported(server, sent)
        let_grow(server.process.pid, None)
        for number in (sent[0], *sent[-2:]):
            server.scores(f"{number:032x}")
        assert server.one("select count(*) from spans") == 4 * len(sent)
        assert server.one("select count(*) from (select score_id from scores group by all having count(*) > 1)") == 0
        assert snapshot(server).is_success


def test_server_whose_store_is_destroyed_ends_with_4(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    with running(store, variables=HURRIED) as server:
        server.export(agent_spans.trip(new_trace()))
        let_grow(server.process.pid, store.stat().st_size)
        store.write_bytes(b"nothing that DuckDB knows" * 1_000)
        snapshot(server)
        assert server.process.wait(timeout=30) == 4
        assert "store.duckdb" in server.log()


def test_stop_on_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=24) as disk:
        store, number = disk.folder / "store.duckdb", new_trace()
        with running(store) as server:
            server.export(agent_spans.trip(number))
            disk.fill()
            assert server.stop(signal.SIGTERM) == 0
        disk.make_room()
        with duckdb.connect(str(store), read_only=True) as connection:
            found = connection.execute("select count(*) from spans where trace_id = ?", [f"{number:032x}"]).fetchall()
        assert found == [(4,)]


def _exported(server: Server, sent: list[int]) -> None:
    sent.append(new_trace())
    server.export(agent_spans.trip(sent[-1]))


def _exported_and_checkpointed(server: Server, sent: list[int]) -> httpx.Response:
    _exported(server, sent)
    return snapshot(server)


def _refused(server: Server, kept: list[int]) -> bool:
    """Sends one more run; those that are taken are added to `kept`."""
    number = new_trace()
    answer = server.post(agent_spans.export_request(agent_spans.trip(number)))
    if answer.is_success:
        kept.append(number)
        return False
    assert answer.status_code == 503
    assert "retry-after" in answer.headers
    return True

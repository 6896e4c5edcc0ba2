"""SIGTERM and SIGINT: the server answers what is under way, stores what it has accepted, and leaves."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import grpc
from tests.support import tale
from tests.support.otlp import trace_id
from tests.support.patience import until
from tests.support.server import EXPORT, Server, running
from tests.support.upload import Upload

SENDERS = 8


@dataclass
class Answers:
    """What became of numbered runs."""

    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    acknowledged: list[int] = field(default_factory=list)
    refusals: list[grpc.StatusCode] = field(default_factory=list)

    def collect(self, address: str) -> None:
        """Exports over gRPC until it is refused."""
        with grpc.insecure_channel(address) as channel:
            export = channel.unary_unary(EXPORT, bytes, bytes)
            while not self.refusals:
                number = next(self.numbers)
                try:
                    export(tale.request(tale.trip(number)), timeout=30)
                except grpc.RpcError as refusal:
                    self.refusals.append(refusal.code())
                else:
                    self.acknowledged.append(number)


@contextmanager
def exporting(server: Server) -> Iterator[Answers]:
    """Many exporters at once, until they are refused."""
    answers = Answers()
    threads = [threading.Thread(target=answers.collect, args=[server.grpc]) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    yield answers
    for thread in threads:
        thread.join()


def test_sigterm_answers_and_stores_exports_that_are_under_way(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    with running(store) as server:
        with exporting(server) as answers:
            until(lambda: len(answers.acknowledged), lambda number: number >= 3 * SENDERS)
            assert server.stop(signal.SIGTERM) == 0
        assert set(answers.refusals) == {grpc.StatusCode.UNAVAILABLE}
        assert "Traceback" not in server.log()
        assert not store.with_name("store.duckdb.server").exists()
    with duckdb.connect(str(store), read_only=True) as connection:
        kept = connection.execute("select trace_id from spans group by trace_id having count(*) = 4").fetchall()
    assert {trace_id(number) for number in answers.acknowledged} <= {name for (name,) in kept}


def test_sigint_waits_for_a_body_that_is_half_sent_and_leaves_with_130(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb") as server:
        with Upload(server.otlp, tale.request(tale.trip(1))) as upload:
            until(lambda: server.figure("tracegrade_queue_bytes"))
            server.process.send_signal(signal.SIGINT)
            until(lambda: _refuses(server.otlp))
            assert upload.finish() == 200
        assert server.process.wait(timeout=20) == 130
    assert not server.store.with_name("store.duckdb.server").exists()
    with duckdb.connect(str(server.store), read_only=True) as connection:
        assert connection.execute("select count(*) from spans").fetchall() == [(4,)]


def _refuses(url: str) -> bool:
    """Whether nobody listens there any more."""
    at = urlsplit(url)
    try:
        socket.create_connection((at.hostname or "", at.port or 0), timeout=1).close()
    except OSError:
        return True
    return False

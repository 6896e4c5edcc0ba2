"""SIGTERM and SIGINT: the server answers what is under way, stores what it has accepted, and leaves."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import grpc
import httpx
import psutil
from tests.support import agent_spans
from tests.support.command import environment
from tests.support.otlp import trace_id
from tests.support.polling import until
from tests.support.server import EXPORT, Server, running
from tests.support.upload import Upload

SENDERS = 8
SENT_AGAIN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
"""Exporters send the same again upon both. gRPC itself cancels a call that comes in the moment in which it stops.

https://opentelemetry.io/docs/specs/otlp/#failures
"""
ENDLESS = "select count(*) from range(10000000000) a, range(1000) b where a.range + b.range = -1"
SLOW_START = """
import sys, threading
from pathlib import Path
from tracegrade.collector.store.engines.duckdb_file import opening

def _open(self):
    Path("opening").touch()
    threading.Event().wait()

opening.Opening.open = _open
from tracegrade.collector.cli.commands import run
sys.exit(run(sys.argv[1:]))
"""


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
                    export(agent_spans.export_request(agent_spans.trip(number)), timeout=30)
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
        assert grpc.StatusCode.UNAVAILABLE in answers.refusals
        assert set(answers.refusals) <= SENT_AGAIN
        assert "Traceback" not in server.log()
        assert not store.with_name("store.duckdb.server").exists()
    with duckdb.connect(str(store), read_only=True) as connection:
        kept = connection.execute("select trace_id from spans group by trace_id having count(*) = 4").fetchall()
    assert {trace_id(number) for number in answers.acknowledged} <= {name for (name,) in kept}


def test_sigint_waits_for_a_body_that_is_half_sent_and_leaves_with_130(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb") as server:
        with Upload(server.otlp, agent_spans.export_request(agent_spans.trip(1))) as upload:
            until(lambda: server.figure("tracegrade_queue_bytes"))
            server.process.send_signal(signal.SIGINT)
            until(lambda: _refuses(server.otlp))
            assert upload.finish() == 200
        assert server.process.wait(timeout=20) == 130
    assert not server.store.with_name("store.duckdb.server").exists()
    with duckdb.connect(str(server.store), read_only=True) as connection:
        assert connection.execute("select count(*) from spans").fetchall() == [(4,)]


def test_sigterm_breaks_off_a_query_that_lasts(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb") as server:
        answers: list[httpx.Response] = []

        def ask() -> None:
            query = {"sql": ENDLESS, "timeout_s": 300}
            answers.append(httpx.post(f"{server.web}/api/v1/sql", json=query, timeout=60, trust_env=False))

        asking = threading.Thread(target=ask)
        asking.start()
        until(lambda: _is_answering(server.process.pid))
        assert server.stop(signal.SIGTERM) == 0
        asking.join()
        assert [answer.is_success for answer in answers] == [False]
        assert "did not stop in time" not in server.log()


def test_sigterm_ends_a_server_that_is_still_opening_its_store(tmp_path: Path) -> None:
    (tmp_path / "slow_start.py").write_text(SLOW_START)
    command = [sys.executable, "slow_start.py", "serve", "--store", "store.duckdb", "--grpc", "127.0.0.1:0"]
    starting = subprocess.Popen(command, cwd=tmp_path, env=environment({}), stderr=subprocess.PIPE)
    try:
        until((tmp_path / "opening").exists)
        starting.send_signal(signal.SIGTERM)
        assert starting.wait(timeout=30) == 0
    finally:
        starting.kill()
        starting.communicate()


def _is_answering(pid: int) -> bool:
    """Whether a process of the server answers a query: it is a child of one that was started for that."""
    return any(one.children() for one in psutil.Process(pid).children())


def _refuses(url: str) -> bool:
    """Whether nobody listens there any more."""
    at = urlsplit(url)
    try:
        socket.create_connection((at.hostname or "", at.port or 0), timeout=1).close()
    except OSError:
        return True
    return False

"""No room: senders are put off, told when to come back, and lose nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import httpx
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from tests.support import tale
from tests.support.otlp import trace_id
from tests.support.patience import until
from tests.support.server import HURRIED, Server, running
from tests.support.upload import Upload

SMALL = {**HURRIED, "TRACEGRADE_INTAKE__QUEUE_BYTES": "2000"}


@contextmanager
def full(server: Server, body: bytes) -> Iterator[Upload]:
    """The queue holds half of `body`, whose sender has fallen asleep."""
    with Upload(server.otlp, body) as upload:
        until(lambda: server.figure("tracegrade_queue_bytes"), lambda held: held >= len(body) // 2)
        yield upload


def test_full_queue_puts_senders_off_and_takes_everything_once_there_is_room(tmp_path: Path) -> None:
    slow, http, rpc = (tale.request(tale.trip(trace)) for trace in (1, 2, 3))
    assert len(slow) // 2 + len(http) > 2000, "the queue would hold both"
    with running(tmp_path / "store.duckdb", variables=SMALL) as server:
        with full(server, slow) as upload:
            refused = server.post(http)
            assert refused.status_code == 503
            assert int(refused.headers["retry-after"]) > 0
            _expect_retry_info(Status.FromString(refused.content))
            refusal = server.call(rpc)
            assert refusal is not None
            assert refusal.code() is grpc.StatusCode.UNAVAILABLE
            _expect_retry_info(Status.FromString(dict(refusal.trailing_metadata())["grpc-status-details-bin"]))
            assert upload.finish() == 200
        assert server.post(http).status_code == 200
        assert server.call(rpc) is None
        for trace in (1, 2, 3):
            server.verdicts(trace_id(trace))
        assert server.one("select count(*) from spans") == 12
        assert server.figure('tracegrade_refused_requests_total{reason="overloaded"}') == 2


def test_server_without_room_says_that_it_is_not_ready(tmp_path: Path) -> None:
    body = tale.request(tale.trip()) * 4
    with running(tmp_path / "store.duckdb", variables=SMALL) as server, full(server, body) as upload:
        answer = httpx.get(f"{server.web}/readyz", trust_env=False)
        assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
        assert httpx.get(f"{server.web}/healthz", trust_env=False).status_code == 200
        assert upload.finish() == 503
        assert httpx.get(f"{server.web}/readyz", trust_env=False).status_code == 200


def _expect_retry_info(status: Status) -> None:
    (detail,) = status.details
    info = RetryInfo()
    assert detail.Unpack(info)
    assert info.retry_delay.seconds > 0

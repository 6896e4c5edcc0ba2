"""No room: senders are put off, told when to come back, and lose nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from tests.support import agent_spans
from tests.support.otlp import trace_id
from tests.support.polling import until
from tests.support.server import HURRIED, Server, new_trace, running
from tests.support.upload import Upload


@contextmanager
def full(server: Server, body: bytes) -> Iterator[Upload]:
    """The queue holds half of `body`, whose sender has fallen asleep."""
    with Upload(server.otlp, body) as upload:
        until(lambda: server.figure("tracegrade_queue_bytes"), lambda held: held >= len(body) // 2)
        yield upload


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a queue of 2,000 bytes, a little more than a trip."""
    variables = {**HURRIED, "TRACEGRADE_INGEST__QUEUE_BYTES": "2000"}
    with running(tmp_path_factory.mktemp("small") / "store.duckdb", variables=variables) as server:
        yield server


def test_full_queue_puts_senders_off_and_takes_everything_once_there_is_room(small: Server) -> None:
    traces = [new_trace(), new_trace(), new_trace()]
    slow, http, rpc = (agent_spans.export_request(agent_spans.trip(trace)) for trace in traces)
    assert len(slow) // 2 + len(http) > 2000, "the queue would hold both"
    with full(small, slow) as upload:
        refused = small.post(http)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        _expect_retry_info(Status.FromString(refused.content))
        refusal = small.call(rpc)
        assert refusal is not None
        assert refusal.code() is grpc.StatusCode.UNAVAILABLE
        _expect_retry_info(Status.FromString(dict(refusal.trailing_metadata())["grpc-status-details-bin"]))
        assert upload.finish() == 200
    assert small.post(http).status_code == 200
    assert small.call(rpc) is None
    for trace in traces:
        assert small.scores(trace_id(trace))["tool_error"] == 1


def test_server_without_room_says_that_it_is_not_ready_and_lives(small: Server) -> None:
    with full(small, agent_spans.export_request(agent_spans.trip(new_trace())) * 4) as upload:
        answer = httpx.get(f"{small.web}/readyz", trust_env=False)
        assert (answer.status_code, answer.json()["kind"]) == (503, "unavailable")
        assert httpx.get(f"{small.web}/healthz", trust_env=False).status_code == 200
        assert upload.finish() == 503
    assert httpx.get(f"{small.web}/readyz", trust_env=False).status_code == 200


def test_refusals_for_want_of_room_are_counted(small: Server) -> None:
    name = 'tracegrade_refused_requests_total{reason="overloaded"}'
    before = small.figure(name)
    with full(small, agent_spans.export_request(agent_spans.trip(new_trace()))) as upload:
        small.post(agent_spans.export_request(agent_spans.trip(new_trace())))
        assert upload.finish() == 200
    assert small.figure(name) == before + 1


def _expect_retry_info(status: Status) -> None:
    (detail,) = status.details
    info = RetryInfo()
    assert detail.Unpack(info)
    assert info.retry_delay.seconds > 0

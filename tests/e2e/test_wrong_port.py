"""gRPC that is sent to a port for HTTP, by real exporters over real sockets."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from grpc import StatusCode
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult
from tests.support.polling import until
from tests.support.server import Server, running

from tracegrade.collector.receiver.grpc_at_http import PREFACE

TOLD = "gRPC arrived at a port that speaks HTTP/1.1"
EXPORT_BYTES = 3_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server") / "s.duckdb", grpc="0.0.0.0:0") as one:
        yield one


def address(server: Server, port: str) -> str:
    """HOST:PORT of one of the two ports for HTTP."""
    return {"otlp": server.otlp, "web": server.web}[port].removeprefix("http://")


def span() -> ReadableSpan:
    made = TracerProvider().get_tracer("tests").start_span("work")
    made.end()
    assert isinstance(made, ReadableSpan)
    return made


def lines(server: Server, port: str) -> list[str]:
    """What the server's log says of gRPC at a port."""
    number = address(server, port).rpartition(":")[2]
    return [line for line in server.log().splitlines() if TOLD in line and f"port={number} " in line]


def named(server: Server) -> tuple[str, str]:
    """The right addresses. It listens for gRPC on all addresses; the sender came by this one."""
    grpc = f"127.0.0.1:{server.grpc.rpartition(':')[2]}"
    return f"ENDPOINT=http://{grpc} with OTEL_EXPORTER_OTLP_PROTOCOL=grpc", f"{server.otlp} with http/protobuf"


def test_logs_of_server_and_exporter_name_the_address_for_grpc(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    exporter = OTLPSpanExporter(server.otlp, insecure=True, timeout=20)
    with caplog.at_level(logging.WARNING):
        assert exporter.export([span()]) is SpanExportResult.FAILURE
    exporter.shutdown()
    until(lambda: lines(server, "otlp"))  # its process writes the log in its own time
    (line,), (record,) = lines(server, "otlp"), caplog.records
    for words in named(server):
        assert words in line
        assert words in record.getMessage()


def test_large_export_to_the_port_of_the_api_is_told_the_address_for_grpc(server: Server) -> None:
    refusal = replace(server, grpc=address(server, "web")).call(b"x" * EXPORT_BYTES)
    assert refusal.code() is StatusCode.UNIMPLEMENTED
    (line,) = lines(server, "web")
    for words in named(server):
        assert words in line
        assert words in refusal.details()


def test_sender_that_comes_again_is_answered_each_time_and_logged_once(server: Server) -> None:
    misled = replace(server, grpc=address(server, "otlp"))
    for _ in range(3):
        assert misled.call(b"").code() is StatusCode.UNIMPLEMENTED
    assert len(lines(server, "otlp")) == 1


def test_preface_in_pieces_is_noticed_and_requests_in_pieces_are_answered(server: Server) -> None:
    host, _, port = address(server, "otlp").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as sender:
        for byte in PREFACE:
            sender.sendall(bytes([byte]))
        assert sender.recv(9) == bytes.fromhex("000000 04 00 00000000")
    with socket.create_connection((host, int(port)), timeout=20) as sender:
        for byte in b"PUT /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n":
            sender.sendall(bytes([byte]))
        assert sender.recv(100).startswith(b"HTTP/1.1 405 ")


def test_connection_that_is_no_grpc_after_its_preface_is_closed(server: Server) -> None:
    host, _, port = address(server, "otlp").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as sender:
        sender.sendall(PREFACE + b"\xff" * 100)
        while sender.recv(4096):
            pass
    assert httpx.get(f"{server.otlp}/healthz", trust_env=False).is_success
    assert "Traceback" not in server.log()

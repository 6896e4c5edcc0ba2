"""A backend of somebody else's: takes OTLP over HTTP or gRPC and keeps it, but for the signals it does not know."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

__all__ = ["Backend", "grpc_backend", "http_backend", "plain"]


@dataclass
class Backend:
    """What it was sent, in order. `refused` names the signals that it was asked for and does not know."""

    knows: Collection[str]
    url: str = ""
    logs: list[LogRecord] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    open: Callable[[], object] = lambda: None
    """Begins to listen, where that was left for later."""

    def take(self, signal: str, body: bytes) -> bool:
        """Keeps an export; False when the signal is unknown here."""
        if signal not in self.knows:
            self.refused.append(signal)
            return False
        if signal == "logs":
            in_logs = ExportLogsServiceRequest.FromString(body).resource_logs
            self.logs += [record for one in in_logs for scope in one.scope_logs for record in scope.log_records]
        else:
            in_spans = ExportTraceServiceRequest.FromString(body).resource_spans
            self.spans += [span for one in in_spans for scope in one.scope_spans for span in scope.spans]
        return True


def plain(attributes: Collection[Any]) -> Mapping[str, Any]:
    """Attributes of the wire as a dict."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in attributes}


@contextmanager
def http_backend(*, knows: Collection[str] = ("logs", "traces"), opened: bool = True) -> Iterator[Backend]:
    """Answers 404 to a signal it does not know. Until it is `opened`, its address refuses connections."""
    backend = Backend(knows)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            taken = backend.take(self.path.removeprefix("/v1/"), body)
            self.send_response(200 if taken else 404)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own name
            """Says nothing."""

    with ExitStack() as stack:
        server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False))
        server.server_bind()
        backend.url = f"http://127.0.0.1:{server.server_port}"
        backend.open = lambda: stack.enter_context(_listening(server))
        if opened:
            backend.open()
        yield backend


@contextmanager
def _listening(server: ThreadingHTTPServer) -> Iterator[None]:
    server.server_activate()
    thread = threading.Thread(target=server.serve_forever, args=[0.05])
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def grpc_backend(*, knows: Collection[str] = ("logs", "traces")) -> Iterator[Backend]:
    """Answers UNIMPLEMENTED to a signal it does not know, by the gRPC library's own hand."""
    backend = Backend(knows)
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers([_service(backend, signal) for signal in knows])
    backend.url = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield backend
    finally:
        server.stop(None).wait()


def _service(backend: Backend, signal: str) -> grpc.GenericRpcHandler[bytes, bytes]:
    def export(body: bytes, _: grpc.ServicerContext) -> bytes:
        backend.take(signal, body)
        return b""

    name = {"logs": "logs.v1.LogsService", "traces": "trace.v1.TraceService"}[signal]
    method = grpc.unary_unary_rpc_method_handler(export)
    return grpc.method_handlers_generic_handler(f"opentelemetry.proto.collector.{name}", {"Export": method})

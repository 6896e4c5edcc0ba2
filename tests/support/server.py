"""A real `tracegrade serve` in a process of its own, on free ports, and what a test asks of it."""

from __future__ import annotations

import re
import secrets
import signal
import socket
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from grpc import RpcError, insecure_channel

from tracegrade.collector.client.discovery import read_note
from tracegrade.collector.spans.span import Span

from . import agent_spans
from .command import PROGRAM, environment
from .otlp import trace_id
from .polling import until

__all__ = ["EXPORT", "HURRIED", "JUDGES", "Ports", "Server", "free_ports", "new_trace", "running", "start", "started"]

HURRIED = {"TRACEGRADE_ASSEMBLY__GRACE": "100ms", "TRACEGRADE_EVALUATION__EVERY": "100ms"}
"""Settings under which a score comes within half a second."""

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
JUDGES = {"run_completion", "tool_call_validity", "tool_error", "tool_efficiency"}
"""The default evaluators that judge every run."""

_PROTOBUF = {"content-type": "application/x-protobuf"}
_GRPC_ADDRESS = re.compile(r"OTLP/gRPC +export OTEL_EXPORTER_OTLP_ENDPOINT=http://(\S+)")
_LAST_LINE = re.compile(r"^  exports +.*\n", re.MULTILINE)
_FREE = "127.0.0.1:0"
_START_S = 30.0
_STOP_S = 30.0


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a server listens on loopback, so that exporters find the next one at the same place."""

    grpc: int
    http: int
    web: int


@dataclass(frozen=True)
class Server:
    """Where it listens, and how to talk to it. `grpc` is HOST:PORT, the others are URLs."""

    process: subprocess.Popen[bytes]
    store: Path
    grpc: str
    otlp: str
    web: str

    def rows(self, sql: str, *, max_rows: int = 10_000) -> list[Any]:
        """What the SQL endpoint answers."""
        asked = {"sql": sql, "max_rows": max_rows}
        answer = httpx.post(f"{self.web}/api/v1/sql", json=asked, timeout=30, trust_env=False)
        assert answer.is_success, answer.text
        rows: list[Any] = answer.json()["rows"]
        return rows

    def one(self, sql: str) -> Any:
        """The first value of the answer."""
        return self.rows(sql)[0][0]

    def post(self, body: bytes, *, signal: str = "traces", **headers: str) -> httpx.Response:
        """Exports over HTTP, as protobuf unless a header (with _ for -) says otherwise."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        url = f"{self.otlp}/v1/{signal}"
        return httpx.post(url, content=body, headers={**_PROTOBUF, **given}, timeout=30, trust_env=False)

    def export(self, spans: Iterable[Span]) -> None:
        """Exports spans, and asserts that they are accepted with an empty answer."""
        answer = self.post(agent_spans.export_request(spans))
        assert (answer.status_code, answer.content) == (200, b"")

    def add_run(self, trace: int | None = None, **trip: Any) -> int:
        """Exports a `trip`, in a new trace unless one is named; returns the trace once the run has its scores."""
        trace = new_trace() if trace is None else trace
        self.export(agent_spans.trip(trace, **trip))
        self.scores(trace_id(trace))
        return trace

    def call(self, body: bytes, **options: Any) -> Any:
        """Exports spans over gRPC; gives the refusal, an RpcError with code and metadata, or None."""
        with insecure_channel(self.grpc) as channel:
            try:
                channel.unary_unary(EXPORT, bytes, bytes)(body, timeout=30, **options)
            except RpcError as refusal:
                return refusal
        return None

    def scores(self, trace_id: str, *, revision: int = 1, within_s: float = 20.0) -> dict[str, Any]:
        """The value by evaluator, once every default evaluator has judged the trace's one run, at least `revision`."""
        sql = f"""select evaluator, value from latest_scores
                  where trace_id = '{trace_id}' and revision >= {revision} and scope = 'trace'"""
        return dict(until(lambda: self.rows(sql), lambda rows: dict(rows).keys() >= JUDGES, within_s=within_s))

    def figure(self, name: str) -> float:
        """One line of /metrics by its name and labels; 0 when there is none yet."""
        text = httpx.get(f"{self.web}/metrics", trust_env=False).text
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    def log(self) -> str:
        """What it wrote to stderr so far."""
        return _beside(self.store, "err").read_text(encoding="utf-8")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Sends the signal; gives the exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=_STOP_S)

    def kill(self) -> None:
        """Ends it as the kernel would."""
        self.process.kill()
        self.process.wait(timeout=_STOP_S)


def free_ports() -> Ports:
    """Three ports that nobody has."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        return Ports(*(one.getsockname()[1] for one in held))


def new_trace() -> int:
    """The number of a trace that no other test sends."""
    return secrets.randbits(120)


@contextmanager
def running(
    store: Path,
    *,
    variables: Mapping[str, str] = HURRIED,
    grpc: str = _FREE,
    http: str = _FREE,
    web: str = _FREE,
    descriptors: int | None = None,
) -> Iterator[Server]:
    """A server over `store` with `variables` in its environment. Where no test ends it, it has to end well."""
    process = start(store, variables, listen={"grpc": grpc, "http": http, "web": web}, descriptors=descriptors)
    try:
        server = started(process, store)
        yield server
        if process.poll() is None:
            code = server.stop()
            assert code == 0, f"it stopped with {code}:\n{server.log()}"
    finally:
        process.kill()
        process.wait(timeout=_STOP_S)


def start(
    store: Path,
    variables: Mapping[str, str],
    *,
    ports: Ports | None = None,
    mode: str = "wb",
    listen: Mapping[str, str] | None = None,
    descriptors: int | None = None,
) -> subprocess.Popen[bytes]:
    """The process of a server that may not listen yet, on `ports` or any that are free. With the mode `ab` its log goes
    on where that of the former one ended. `listen` has other addresses by name. It may have so many `descriptors`."""
    wanted = ports or Ports(0, 0, 0)
    usual = {name: f"127.0.0.1:{getattr(wanted, name)}" for name in ("grpc", "http", "web")}
    at = [word for name, address in {**usual, **(listen or {})}.items() for word in (f"--{name}", address)]
    with _beside(store, "out").open("wb") as out, _beside(store, "err").open(mode) as err:
        limited = [] if descriptors is None else ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh"]
        command = [*limited, PROGRAM, "serve", "--store", str(store), *at]
        return subprocess.Popen(command, cwd=store.parent, env=environment(variables), stdout=out, stderr=err)


def started(process: subprocess.Popen[bytes], store: Path, *, within_s: float = _START_S) -> Server:
    """Reads the greeting, which comes when everything listens and the note is written."""
    greeting = _beside(store, "out")
    until(lambda: _LAST_LINE.search(greeting.read_text()) or process.poll() is not None, within_s=within_s)
    found, note = _GRPC_ADDRESS.search(greeting.read_text()), read_note(str(store))
    assert found, f"it did not start:\n{_beside(store, 'err').read_text()}"
    assert note is not None
    assert note.pid == process.pid
    return Server(process, store, found[1], note.otlp_url, note.url)


def _beside(store: Path, ending: str) -> Path:
    return store.with_name(f"{store.name}.{ending}")

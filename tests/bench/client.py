"""Sends export requests over gRPC from a process of its own: `python -m tests.bench.client ADDRESS …`.

It builds every request first, prints `ready`, waits for a line, sends, and prints one JSON object (see `Sent`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import grpc

from .traffic import Traffic, requests

__all__ = ["Sent", "go", "ready"]

_EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_RETRY_S = 0.2


@dataclass(frozen=True, slots=True)
class Sent:
    """What a client did. A latency runs from when a request was due to be sent until its acknowledgement."""

    spans: int
    sent_bytes: int
    elapsed_s: float
    latencies_ms: Sequence[float]
    retried: int


@contextmanager
def ready(address: str, traffic: Traffic, *, in_flight: int, spans_per_s: float = 0) -> Iterator[subprocess.Popen[str]]:
    """A client that has built its requests. `go` starts it."""
    command = [sys.executable, "-m", "tests.bench.client", address, json.dumps(asdict(traffic))]
    command += ["--in-flight", str(in_flight), "--spans-per-s", str(spans_per_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise RuntimeError("the client did not start")
            yield process
        finally:
            process.kill()


def go(process: subprocess.Popen[str]) -> Sent:
    """Lets a client send, and waits until everything is acknowledged."""
    answer, _ = process.communicate("go\n")
    return Sent(**json.loads(answer))


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("address")
    arguments.add_argument("traffic", type=lambda text: Traffic(**json.loads(text)))
    arguments.add_argument("--in-flight", type=int, default=8)
    arguments.add_argument("--spans-per-s", type=float, default=0)
    options = arguments.parse_args()
    bodies = list(requests(options.traffic))
    pause_s = options.traffic.spans_per_request / options.spans_per_s if options.spans_per_s else 0.0
    with grpc.insecure_channel(options.address) as channel:
        grpc.channel_ready_future(channel).result(timeout=10)
        print("ready", flush=True)
        sys.stdin.readline()
        latencies_ms, elapsed_s, retried = _send(channel, bodies, in_flight=options.in_flight, pause_s=pause_s)
    sent = Sent(options.traffic.spans, sum(map(len, bodies)), elapsed_s, latencies_ms, retried)
    print(json.dumps(asdict(sent)))


def _send(
    channel: grpc.Channel, bodies: Sequence[bytes], *, in_flight: int, pause_s: float
) -> tuple[list[float], float, int]:
    """Latencies in ms, the whole time in s, and how often the server asked to come back later."""
    export = channel.unary_unary(_EXPORT, bytes, bytes)
    retried = 0
    lock = threading.Lock()
    began = time.perf_counter()

    def send(at: int) -> float:
        nonlocal retried
        due = began + at * pause_s if pause_s else time.perf_counter()
        time.sleep(max(0.0, due - time.perf_counter()))
        while True:
            try:
                export(bodies[at], timeout=60)
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                with lock:
                    retried += 1
                time.sleep(_RETRY_S)
            else:
                return (time.perf_counter() - due) * 1000

    with ThreadPoolExecutor(in_flight) as threads:
        latencies_ms = list(threads.map(send, range(len(bodies))))
    return latencies_ms, time.perf_counter() - began, retried


if __name__ == "__main__":
    main()

"""Honest ones beside the attackers: a sender, a reader, a viewer of pages and a probe; what they notice."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import httpx

from .attacker import Target, read_form_token
from .payloads import quiet_run
from .statements import USUAL

__all__ = ["DEEDS", "PHASES", "Deed", "Neighbour", "Phase", "Sent"]

Phase: TypeAlias = Literal["before", "during", "gone", "after"]
PHASES: Final[Sequence[Phase]] = ("before", "during", "gone", "after")

Deed: TypeAlias = Literal["export", "query", "login", "page", "readyz"]
DEEDS: Final[Sequence[Deed]] = ("export", "query", "login", "page", "readyz")

_PATIENCE_S: Final = 10.0
_AT_ONCE: Final = 64
_RUN: Final = re.compile(r'href="(/runs/[^"?]+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request of an honest one: at which time of the clock on the wall, and how long the answer took, in seconds.
    `refusal` is None where it was taken. An export has the trace's id."""

    deed: Deed
    phase: Phase
    at_s: float
    took_s: float
    refusal: str | None
    trace_id: str = ""


@dataclass
class Neighbour:
    """Sends a run and asks a query every two seconds, as exporters and dashboards do; logs in and looks at pages as a
    person does; and asks whether the server is ready. All wait ten seconds at most."""

    target: Target
    chance: random.Random
    phase: Phase = "before"
    sent: list[Sent] = field(default_factory=list)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Until the context is left, and all answers have come."""
        stopped = threading.Event()
        rates = {self._export: 2.0, self._ask: 2.0, self._view: 4.0, self._probe: 0.5}
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for work, every_s in rates.items():
                threading.Thread(target=_repeat, args=(stopped, threads, work, every_s), daemon=True).start()
            try:
                yield
            finally:
                stopped.set()

    def of(self, deed: Deed) -> Sequence[Sent]:
        """Return the requests of this kind."""
        return [each for each in self.sent if each.deed == deed]

    def _export(self) -> None:
        trace_id = self.chance.randbytes(16)
        headers = {"content-type": "application/x-protobuf"}
        url, body = f"{self.target.otlp}/v1/traces", quiet_run(trace_id)
        with self._connect() as client:
            self._send("export", client, "POST", url, trace_id=trace_id.hex(), content=body, headers=headers)

    def _ask(self) -> None:
        with self._connect(has_token=True) as client:
            self._send("query", client, "POST", "/api/v1/sql", json={"sql": USUAL})

    def _view(self) -> None:
        """Log in, and look at the Overview, at the runs, and at the newest of them."""
        with self._connect() as client:
            form = self._send("page", client, "GET", "/login")
            fields = {"form_token": read_form_token(form), "token": self.target.token, "next": "/"}
            if form is None or self._send("login", client, "POST", "/login", data=fields) is None:
                return
            self._send("page", client, "GET", "/")
            runs = self._send("page", client, "GET", "/runs")
            newest = _RUN.search("" if runs is None else runs.text)
            if newest is not None:
                self._send("page", client, "GET", newest[1])

    def _probe(self) -> None:
        with self._connect() as client:
            self._send("readyz", client, "GET", "/readyz", accepts=(httpx.codes.SERVICE_UNAVAILABLE,))

    def _connect(self, *, has_token: bool = False) -> httpx.Client:
        return self.target.connect(has_token=has_token, patience_s=_PATIENCE_S)

    def _send(
        self,
        deed: Deed,
        client: httpx.Client,
        method: str,
        url: str,
        *,
        trace_id: str = "",
        accepts: Sequence[int] = (),
        **request: Any,
    ) -> httpx.Response | None:
        """Send the request, and note it; return the answer unless it is a refusal. That a page leads to the login is
        one."""
        phase, at_s, began = self.phase, time.time(), time.perf_counter()
        answer = None
        try:
            answer = client.request(method, url, **request)
        except httpx.HTTPError as error:
            refusal: str | None = type(error).__name__
        else:
            refusal = _explain_refusal(answer, deed, accepts)
        took_s = time.perf_counter() - began
        self.sent.append(Sent(deed=deed, phase=phase, at_s=at_s, took_s=took_s, refusal=refusal, trace_id=trace_id))
        return answer if refusal is None else None


def _explain_refusal(answer: httpx.Response, deed: Deed, accepts: Sequence[int]) -> str | None:
    """Return why the answer is a refusal; None if it is what was asked for. A login leads to a page."""
    wanted = answer.has_redirect_location if deed == "login" else answer.is_success
    if wanted or answer.status_code in accepts:
        return None
    return f"{answer.status_code}: {' '.join(answer.text[:200].split())}"


def _repeat(stopped: threading.Event, threads: ThreadPoolExecutor, work: Callable[[], None], every_s: float) -> None:
    """At a steady rate, however long the answers take."""
    began, number = time.monotonic(), 0
    while not stopped.wait(max(0.0, began + number * every_s - time.monotonic())):
        try:
            threads.submit(work)
        except RuntimeError:  # the context is left
            return
        number += 1

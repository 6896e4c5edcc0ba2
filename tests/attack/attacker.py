"""What an attacker is, what it attacks, and what it counts."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, Final, TypeAlias

import httpx

__all__ = ["OURS", "THROUGH", "Attack", "Attacker", "Met", "Target", "read_form_token"]

THROUGH: Final = ", got through"
"""The end of an answer that no attacker may get."""

OURS: Final = (500, 502)
"""Statuses of errors that are the server's own."""

_PATIENCE_S: Final = 30.0
_FORM_TOKEN: Final = re.compile(r'name="form_token" value="([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a server listens, its token, and its store. `grpc` is HOST:PORT, the others are URLs."""

    grpc: str
    otlp: str
    web: str
    token: str
    store: Path

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Of all three, for those who speak no protocol."""
        return [self._split(address) for address in (self.grpc, self.otlp, self.web)]

    @property
    def web_address(self) -> tuple[str, int]:
        """Of pages and API, likewise."""
        return self._split(self.web)

    @property
    def bearer(self) -> Mapping[str, str]:
        """The header of those who have the token."""
        return {"authorization": f"Bearer {self.token}"}

    def connect(self, *, has_token: bool = False, patience_s: float = _PATIENCE_S) -> httpx.Client:
        """Return a client of pages and API, which makes a new connection for each request."""
        return httpx.Client(
            base_url=self.web,
            headers=self.bearer if has_token else {},
            timeout=patience_s,
            limits=httpx.Limits(max_keepalive_connections=0),
            trust_env=False,
            verify=False,  # there is no TLS, and to read certificates takes longer than a request
        )

    @staticmethod
    def _split(address: str) -> tuple[str, int]:
        host, _, port = address.rpartition("//")[2].partition(":")
        return host, int(port)


@dataclass(slots=True)
class Met:
    """How many requests an attacker has sent, and how often it got which answer: a status, or words."""

    requests: int = 0
    answers: Counter[str] = field(default_factory=Counter)

    def add(self, answer: str) -> None:
        """Count a request and its answer."""
        self.requests += 1
        self.answers[answer] += 1

    def update(self, other: Met) -> None:
        """Count those of another one as well."""
        self.requests += other.requests
        self.answers += other.answers

    def ask(
        self, client: httpx.Client, method: str, url: str, *, may_succeed: bool = True, about: str = "", **request: Any
    ) -> httpx.Response | None:
        """Send a request and count its answer; None if there was none. If it may not succeed, an answer of success is
        one that got through. An error of the server is counted with `about`."""
        try:
            answer = client.request(method, url, **request)
        except httpx.TimeoutException:
            self.add("hung up")
        except httpx.HTTPError:
            self.add("no answer")
        else:
            is_through = answer.is_success and not may_succeed
            self.add(f"{answer.status_code}{THROUGH if is_through else about if answer.status_code in OURS else ''}")
            return answer
        return None


Attack: TypeAlias = Callable[[Target, random.Random, Met, Event], None]
"""Attacks until the event is set."""


@dataclass(frozen=True, slots=True)
class Attacker:
    """Does this until it is stopped, so many of it at once."""

    name: str
    attack: Attack
    at_once: int = 1


def read_form_token(page: httpx.Response | None) -> str:
    """Return the token in the forms of a page; empty if there is none."""
    found = _FORM_TOKEN.search("" if page is None else page.text)
    return "" if found is None else found[1]

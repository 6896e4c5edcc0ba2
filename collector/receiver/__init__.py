"""Receivers of OTLP over gRPC and HTTP. They read requests, and refuse them or pass them to a `Consumer`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ..otlp.signal import Signal

__all__ = ["Consumer", "ExportOutcome", "Reservation"]


@dataclass(frozen=True, slots=True)
class ExportOutcome:
    """What became of the records of one export request."""

    accepted: int
    rejected: int = 0
    message: str = ""
    """Why, for the sender's log. Without rejected records it is a warning."""


class Reservation(Protocol):
    """Memory of the server that one request takes."""

    def grow(self, size_bytes: int) -> None:
        """Reserve more. Raises Overloaded when there is none; what was reserved before stays reserved."""


class Consumer(Protocol):
    """Takes export requests, however they arrived."""

    def reserve(self, size_bytes: int) -> AbstractContextManager[Reservation]:
        """Reserve memory for a request, from its first byte until its answer; leaving the context releases it.

        A receiver MUST call `accept` inside it. Raises Overloaded when there is none left.
        """

    async def accept(self, signal: Signal, body: bytes) -> ExportOutcome:
        """Commit the records of `body`, the protobuf of an Export*ServiceRequest; returns once they are committed.

        MUST NOT count `body` again: the caller's reservation covers it. Raises CollectorError.
        """

"""The way in: OTLP over gRPC and HTTP. A receiver reads, refuses or hands over to an `Consumer`, and knows no more."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ..otlp.signal import Signal

__all__ = ["Consumer", "Outcome", "Reservation"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the records of one export request."""

    accepted: int
    rejected: int = 0
    message: str = ""
    """Why, for the sender's log. Without rejected records it is a warning."""


class Reservation(Protocol):
    """Room that one request takes up in the server's memory."""

    def grow(self, size_bytes: int) -> None:
        """Ask for more room. Raises Overloaded when there is none; what was granted before stays granted."""


class Consumer(Protocol):
    """Takes export requests, whatever road they came by."""

    def reserve(self, size_bytes: int) -> AbstractContextManager[Reservation]:
        """Room for a request, from its first byte until its answer; leaving the context gives all of it back.

        A receiver MUST call `accept` inside it. Raises Overloaded when there is no room.
        """

    async def accept(self, signal: Signal, body: bytes) -> Outcome:
        """Commit the records of `body`, the protobuf of an Export*ServiceRequest; returns once they are committed.

        MUST NOT count `body` against the room again: the caller's reservation covers it. Raises CollectorError.
        """

"""What a server has received since it was started, and where it receives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Receiving"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiving:
    """Counts since the start of the server. `grpc` and `http` are the addresses for OTLP, as HOST:PORT.

    `refused` are requests by the reason for which they were answered with an error, `rejected` records that could not
    be kept.
    """

    grpc: str
    http: str
    spans: int
    logs: int
    rejected: int
    refused: Mapping[str, int]
    open_traces: int
    assembled: int

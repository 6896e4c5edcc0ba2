"""The signals of OpenTelemetry."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Signal"]


class Signal(StrEnum):
    """The kind of records in an export request. The value is the last part of its HTTP path."""

    TRACES = "traces"
    LOGS = "logs"
    METRICS = "metrics"

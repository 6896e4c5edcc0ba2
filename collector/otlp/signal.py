"""The signals of OpenTelemetry."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Signal"]


class Signal(StrEnum):
    """What an export request carries. The value is the last part of its HTTP path."""

    TRACES = "traces"
    LOGS = "logs"
    METRICS = "metrics"

"""Captures the runs of an agent in this process, from its OpenTelemetry spans."""

from .capture import Capture, NoSingleRun, capture, uncaptured

__all__ = ["Capture", "NoSingleRun", "capture", "uncaptured"]

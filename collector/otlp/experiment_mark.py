"""The resource attribute that marks the spans of an experiment."""

from __future__ import annotations

from typing import Final

__all__ = ["EXPERIMENT_ID"]

EXPERIMENT_ID: Final = "tracegrade.experiment.id"
"""The id of the experiment that a run is part of. The store decides which marks it accepts."""

"""What a run did not record, and the setting that records it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel, ConfigDict

__all__ = ["ExplainGaps", "Remedy"]


class Remedy(BaseModel):
    """A gap of a run: what is missing, and what to do where the agent runs."""

    model_config = ConfigDict(frozen=True)

    gap: str
    missing: str
    remedy: str


class ExplainGaps(Protocol):
    """Explains the gaps of a run."""

    def __call__(self, gaps: Sequence[str], *, dialect: str | None, scope: str | None) -> Sequence[Remedy]:
        """Return the remedy of each gap; `scope` is the instrumentation scope of the span of the agent."""
        ...

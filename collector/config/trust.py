"""The sources of references, and which is trusted first."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["SOURCES", "Source"]

Source: TypeAlias = Literal["dataset", "rule", "attributes"]

SOURCES: Final[tuple[Source, ...]] = ("dataset", "rule", "attributes")
"""The sources of a reference, the most trusted first.

These are the dataset that the run belongs to (runs in a store belong to none), the operator's file, and the agent
itself.
"""

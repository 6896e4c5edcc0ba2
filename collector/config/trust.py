"""Whose word counts, where several may have one."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

__all__ = ["SOURCES", "Source"]

Source: TypeAlias = Literal["dataset", "rule", "attributes"]

SOURCES: Final[tuple[Source, ...]] = ("dataset", "rule", "attributes")
"""Who may say what is expected of a run, the most trusted first: the dataset that it is a case of (those in a store are
of none), the operator's file, and the agent itself."""

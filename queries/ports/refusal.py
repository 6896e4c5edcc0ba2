"""Why a command is refused, or cannot be executed now."""

from __future__ import annotations

from typing import ClassVar

__all__ = ["CommandRefused", "NoSuchEvaluator", "Unavailable"]


class CommandRefused(Exception):
    """A command names an unknown evaluator, or a condition or configuration that cannot be used."""

    kind: ClassVar[str] = "malformed"


class NoSuchEvaluator(CommandRefused):
    """The configuration has no evaluator of that name."""

    kind = "not_found"


class Unavailable(Exception):
    """The store cannot be read or written now. The message says why, and who must act."""

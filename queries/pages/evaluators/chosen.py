"""Which runs a backfill covers: those of the agent, version, environment and service that were chosen."""

from __future__ import annotations

import re
from typing import Final

from ...catalog import condition
from ..selection import Selection

__all__ = ["CHOSEN", "write_where"]

CHOSEN: Final = condition("chosen")
"""The condition over `agent_traces`, with the chosen names as parameters."""

_PARAMETER: Final = re.compile(r"\$(\w+)")


def write_where(selection: Selection) -> str | None:
    """Return the condition with the names in it, as a backfill takes it; None if no name was chosen."""
    if not selection.chosen:
        return None
    names = selection.names
    return _PARAMETER.sub(lambda match: _write_literal(names[match[1]]), CHOSEN)


def _write_literal(value: str | None) -> str:
    return "null" if value is None else "'" + value.replace("'", "''") + "'"

"""The versions of ATIF, and since which of them it has a field."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

from ..spelling import Unreadable

__all__ = ["COPIED_CONTEXT", "MEDIA", "NEWEST", "ROOT_EXTRA", "SUB_AGENTS", "TOOLS", "Version", "minor_of"]

Version: TypeAlias = Literal[
    "ATIF-v1.0",
    "ATIF-v1.1",
    "ATIF-v1.2",
    "ATIF-v1.3",
    "ATIF-v1.4",
    "ATIF-v1.5",
    "ATIF-v1.6",
    "ATIF-v1.7",
    "ATIF-v1.8",
]
NEWEST: Final[Version] = "ATIF-v1.8"

ROOT_EXTRA: Final = 1
"""`extra` of a trajectory."""
TOOLS: Final = 5
"""`agent.tool_definitions`."""
COPIED_CONTEXT: Final = 5
"""`is_copied_context` of a step."""
MEDIA: Final = 6
"""Messages and results in parts."""
SUB_AGENTS: Final = 7
"""`trajectory_id`, sub-agents, `llm_call_count`, `extra` of calls and results; `session_id` is optional."""

_FORM: Final = re.compile(r"ATIF-v1\.(\d{1,3})")


def minor_of(version: object) -> int:
    """Return the number of a version after the point. Later ones than the newest known are read like that.

    Raises ValueError for anything else.
    """
    match = _FORM.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        known = get_args(Version)
        raise Unreadable(f"schema_version is {version!r:.40}; versions {known[0]} to {known[-1]} are read")
    return int(match[1])

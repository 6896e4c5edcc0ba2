"""The name of the user who runs a command: the default author of what it writes."""

from __future__ import annotations

import getpass

__all__ = ["read_user_name"]


def read_user_name() -> str:
    """Return the name; "anonymous" if the user has none, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "anonymous"

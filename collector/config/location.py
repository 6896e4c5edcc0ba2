"""Where the configuration stands."""

from __future__ import annotations

from pathlib import Path

from ..errors import Fault

__all__ = ["DEFAULT_FILE", "BadConfiguration", "configuration_file"]

DEFAULT_FILE = Path("tracegrade.yaml")


class BadConfiguration(Fault):
    """The configuration cannot be used; the message names the key, where it stands, and what to write."""


def configuration_file(file: Path | None) -> Path | None:
    """The file that is given, or else tracegrade.yaml where there is one. Raises BadConfiguration."""
    if file is None:
        return DEFAULT_FILE if DEFAULT_FILE.is_file() else None
    if not file.is_file():
        raise BadConfiguration(f"{file}: there is no such file; `tracegrade init` writes one")
    return file

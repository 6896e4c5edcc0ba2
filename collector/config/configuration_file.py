"""Finds the configuration file."""

from __future__ import annotations

from pathlib import Path

from ..errors import Fault

__all__ = ["DEFAULT_FILE", "BadConfiguration", "find_configuration_file"]

DEFAULT_FILE = Path("tracegrade.yaml")


class BadConfiguration(Fault):
    """The configuration is invalid; the message names the key, its place, and the remedy."""


def find_configuration_file(file: Path | None) -> Path | None:
    """Returns `file`, else tracegrade.yaml if it exists. Raises BadConfiguration."""
    if file is None:
        return DEFAULT_FILE if DEFAULT_FILE.is_file() else None
    if not file.is_file():
        raise BadConfiguration(f"{file}: file not found; `tracegrade init` writes one")
    return file

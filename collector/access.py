"""What a caller of a server's API has to show, found without the other settings, which a caller does not need."""

from __future__ import annotations

import os
from pathlib import Path

from .configuration import BadConfiguration, configuration_file

__all__ = ["token_of"]

_VARIABLE = "TRACEGRADE_TOKEN"


def token_of(file: Path | None) -> str | None:
    """As `settings.load` finds it: in the environment, or else in the configuration file. Raises BadConfiguration."""
    path = configuration_file(file)
    for name, value in os.environ.items():
        if name.upper() == _VARIABLE:
            return value or None
    return _written(path) if path else None


def _written(path: Path) -> str | None:
    from .yaml_file import YamlFile  # noqa: PLC0415 - few write the token into a file

    file = YamlFile(path)
    token = file.value.get("token") if isinstance(file.value, dict) else None
    if token is None or isinstance(token, str):
        return token or None
    raise BadConfiguration(f"{file.place(['token'])}: token: write text, in quotes where it looks like something else")

"""Reads the token of the API without the other settings, and warns about an API that is open to other machines."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from tracegrade.queries.http.hosts import is_loopback

from .configuration_file import BadConfiguration, find_configuration_file

__all__ = ["explain_exposure", "read_token", "validate_token"]

_VARIABLE: Final = "TRACEGRADE_TOKEN"
_TOKEN: Final = re.compile(r"[!-~]([ -~]*[!-~])?")
"""Characters that a header can carry and that no client changes."""


def validate_token(token: str) -> str:
    """Returns the token. Raises ValueError if it cannot be sent in a header, or is empty: an empty token is most likely
    a variable without a value, and would give access to everyone."""
    if not token.strip():
        raise ValueError("the token is empty; set one, or leave it out to allow access without a token")
    if not _TOKEN.fullmatch(token):
        raise ValueError("the token must be printable ASCII, without spaces or line breaks around it")
    return token


def explain_exposure(address: str, token: object) -> str | None:
    """Explains that other machines have full access to the API at "HOST:PORT", and the remedy; None if not."""
    if token is not None or is_loopback(address):
        return None
    remedy = "set TRACEGRADE_TOKEN, or listen on this machine only (`--web 127.0.0.1:8400`)"
    return f"the API at {address} is open to everyone who can reach it: {remedy}"


def read_token(file: Path | None) -> str | None:
    """Reads the token as `settings.load` does: from the environment, else from the configuration file. Raises
    BadConfiguration."""
    path = find_configuration_file(file)
    for name, value in os.environ.items():
        if name.upper() == _VARIABLE:
            return _validate(value, name)
    return _read_file(path) if path else None


def _validate(token: str, place: str) -> str:
    try:
        return validate_token(token)
    except ValueError as error:
        raise BadConfiguration(f"{place}: {error}") from error


def _read_file(path: Path) -> str | None:
    from .yaml_file import YamlFile  # noqa: PLC0415 - the token is rarely in a file

    file = YamlFile(path)
    token = file.value.get("token") if isinstance(file.value, dict) else None
    place = f"{file.place(['token'])}: token"
    if token is None or isinstance(token, str):
        return None if token is None else _validate(token, place)
    raise BadConfiguration(f"{place}: write text, in quotes if it looks like something else")

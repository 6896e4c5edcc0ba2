"""What a caller of a server's API has to show, found without the other settings, which a caller does not need; and who
may call where nobody has to show anything."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from tracegrade.queries.http.hosts import is_loopback

from .location import BadConfiguration, configuration_file

__all__ = ["checked_token", "open_to_others", "token_of"]

_VARIABLE: Final = "TRACEGRADE_TOKEN"
_TOKEN: Final = re.compile(r"[!-~]([ -~]*[!-~])?")
"""What a header can carry, and no client changes on the way."""


def checked_token(token: str) -> str:
    """The token as it is compared. Raises ValueError: an empty one is most likely a variable that nobody filled, and it
    would let everybody in."""
    if not token.strip():
        raise ValueError("the token is empty; write one, or leave it out where nobody has to show any")
    if not _TOKEN.fullmatch(token):
        raise ValueError("write the token in printable ASCII, with no space or line break before or behind it")
    return token


def open_to_others(address: str, token: object) -> str | None:
    """Why other machines may read and change everything at "HOST:PORT" of the API, and what to do about it; None where
    they may not."""
    if token is not None or is_loopback(address):
        return None
    remedy = "set TRACEGRADE_TOKEN, or let it listen on this machine alone (`--web 127.0.0.1:8400`)"
    return f"the API at {address} answers whoever reaches it: {remedy}"


def token_of(file: Path | None) -> str | None:
    """As `settings.load` finds it: in the environment, or else in the configuration file. Raises BadConfiguration."""
    path = configuration_file(file)
    for name, value in os.environ.items():
        if name.upper() == _VARIABLE:
            return _checked(value, name)
    return _written(path) if path else None


def _checked(token: str, place: str) -> str:
    try:
        return checked_token(token)
    except ValueError as error:
        raise BadConfiguration(f"{place}: {error}") from error


def _written(path: Path) -> str | None:
    from .yaml_file import YamlFile  # noqa: PLC0415 - few write the token into a file

    file = YamlFile(path)
    token = file.value.get("token") if isinstance(file.value, dict) else None
    place = f"{file.place(['token'])}: token"
    if token is None or isinstance(token, str):
        return None if token is None else _checked(token, place)
    raise BadConfiguration(f"{place}: write text, in quotes where it looks like something else")

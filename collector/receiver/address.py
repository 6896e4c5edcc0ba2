"""Checks addresses before a server starts, since servers report that listening failed, but not why."""

from __future__ import annotations

import errno
import socket
from typing import Any, Final

from ..errors import Fault

__all__ = ["CannotListen", "ensure_free", "on_this_machine", "parted"]

_HIGHEST_PORT: Final = 65535
_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared, not bound
_REASONS: Final = {
    errno.EADDRINUSE: "another process listens there: stop it",
    errno.EACCES: "ports below 1024 need more rights: ask for them",
}


class CannotListen(Fault):
    """The server cannot listen on an address. The message names the address, the reason and the remedy."""


def parted(address: str) -> tuple[str, int]:
    """Split "HOST:PORT" into host and port. Raises ValueError."""
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > _HIGHEST_PORT:
        raise ValueError(f"{address!r} is not an address; write HOST:PORT")
    return host.strip("[]"), int(port)


def on_this_machine(address: str) -> str:
    """Return the address at which this machine reaches a server on "HOST:PORT", which may mean all addresses."""
    host, _, port = address.rpartition(":")
    return f"{_LOOPBACK.get(host.strip('[]'), host)}:{port}"


def ensure_free(address: str, *, option: str) -> None:
    """Raise CannotListen if "HOST:PORT" is not an address or is in use. The message names `option`."""
    try:
        host, port = parted(address)
    except ValueError as error:
        raise CannotListen(f"{error} with {option}") from error
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise CannotListen(f"cannot listen on {address}: {error}; choose another with {option}") from error
    for family, _, _, _, target in addresses:
        _try_bind(family, target, address=address, option=option)


def _try_bind(family: int, target: tuple[Any, ...], *, address: str, option: str) -> None:
    """Raise CannotListen if the address is in use or needs more rights.

    Any other error is ignored: a name may stand for addresses that this machine lacks.
    """
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(target)
    except OSError as error:
        if (reason := _REASONS.get(error.errno or 0)) is not None:
            raise CannotListen(f"cannot listen on {address}: {reason}, or choose another with {option}") from error

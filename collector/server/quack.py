"""Decides whether and where clients of Quack are answered."""

from __future__ import annotations

import socket
from typing import Final

from tracegrade.queries.http.hosts import is_loopback

from ..config.settings import Settings
from ..receiver.address import CannotListen, ensure_free, parted
from ..store.engines.location import QuackListener

__all__ = ["explain_refusal", "listener_of"]

_SHORTEST_TOKEN: Final = 4
"""The least length that the extension takes."""


def listener_of(settings: Settings) -> QuackListener | None:
    """Return where the settings have clients of Quack answered; None if nowhere. Port 0 takes a free one.

    Raises CannotListen, also if the settings would open the store to others.
    """
    if settings.listen.quack is None:
        return None
    if (refusal := explain_refusal(settings)) is not None:
        raise CannotListen(refusal)
    ensure_free(settings.listen.quack, option="--quack")
    host, port = parted(settings.listen.quack)
    place = f"[{host}]" if ":" in host else host
    token = settings.token.get_secret_value() if settings.token else ""
    return QuackListener(f"{place}:{port or _find_port(host)}", token, not is_loopback(settings.listen.quack))


def explain_refusal(settings: Settings) -> str | None:
    """Explain why a server does not answer clients of Quack with these settings, and the remedy; None if it does."""
    address = settings.listen.quack
    if address is None:
        return None
    if settings.token is None:
        return f"Quack at {address} requires a token: set TRACEGRADE_TOKEN"
    if len(settings.token.get_secret_value()) < _SHORTEST_TOKEN:
        return f"Quack at {address} requires a token of at least {_SHORTEST_TOKEN} characters"
    if not is_loopback(address) and not settings.listen.quack_beyond_loopback:
        return (
            f"Quack at {address} would be open to other machines, without encryption and without limits of time: "
            "listen on 127.0.0.1, or set listen.quack_beyond_loopback if your own gate stands before it"
        )
    return None


def _find_port(host: str) -> int:
    """Return a free port: the extension does not say which one it took."""
    with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        port: int = probe.getsockname()[1]
        return port

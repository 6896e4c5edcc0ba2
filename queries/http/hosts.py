"""The names of the server that a Host header may contain, and the origins of pages that may send requests.

A page of another site whose name resolves to this address (DNS rebinding) sends that name as Host, and is refused. An
IP address cannot be made to resolve to another one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

__all__ = ["AllowedHosts", "checked", "is_loopback", "name_of"]

_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_NAME: Final = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_ANY: Final = "*"
_SUBDOMAINS: Final = "*."
_HIGHEST_PORT: Final = 65535
_DEFAULT_PORTS: Final = frozenset({80, 443})
"""The default ports, which clients leave out of the Host header."""

_PRIVATE: Final = (".internal", ".local", ".localhost")
"""Suffixes of names that public DNS never resolves (RFC 6761, RFC 6762, ICANN's resolution of 2024-07-29)."""


def checked(entry: str) -> str:
    """Return a normalised entry of the allowed hosts. Raises ValueError, which says how to write one."""
    name, port = _split_host(entry)
    if name == _ANY or _is_name(name.removeprefix(_SUBDOMAINS)):
        return _add_brackets(name) if port is None else f"{_add_brackets(name)}:{port}"
    raise ValueError(
        f"{entry[:100]!r} is not the name of a host; write it as in a Host header, such as grade.example.com or "
        "192.0.2.7, with :PORT for only that port; *.example.com allows all names below, * allows every name"
    )


def name_of(host: str) -> str | None:
    """Return the name in a Host header, as an entry of the allowed hosts; None if it has none."""
    name, _ = _split_host(host)
    return _add_brackets(name) if _is_name(name) else None


def is_loopback(address: str) -> bool:
    """Return whether only this machine can reach a server that listens on "HOST[:PORT]"."""
    name, _ = _split_host(address)
    return name == "localhost" or (_read_address(name) is not None and ipaddress.ip_address(name).is_loopback)


class AllowedHosts:
    """The names of the loopback, every IP address, the name on which the server listens, and `entries`, which may be
    changed while the server runs."""

    def __init__(self, bound: str = "127.0.0.1", entries: Iterable[str] = ()) -> None:
        name, _ = _split_host(bound)
        self._own = _LOOPBACK_NAMES | ({name} if _read_address(name) is None else set())
        self._is_loopback = is_loopback(bound)
        self.change(entries)

    def change(self, entries: Iterable[str]) -> None:
        """Replace the entries. Raises ValueError."""
        self._entries = frozenset(_split_host(checked(entry)) for entry in entries)

    def __contains__(self, host: object) -> bool:
        """Return whether a request may have this Host header."""
        name, port = _split_host(host) if isinstance(host, str) else ("", None)
        return _is_plain_address(name) or self._is_named(name, port)

    def allow_page(self, origin: str) -> bool:
        """Return whether pages of this Origin may send records: it must have a name of the server.

        An IP address is not enough, since pages of others have addresses, too.
        """
        return self._is_named(*_split_host(_read_origin_host(origin)))

    def allow_sender(self, host: str) -> bool:
        """Return whether a request with this Host header may send records.

        A server that other machines can reach accepts any name if it has no entries: in a network of containers,
        programs use names that it does not know. Names that public DNS does not have cannot be those of a foreign page.
        """
        is_open = not (self._is_loopback or self._entries)
        return is_open or host in self or _is_private(_split_host(host)[0])

    def _is_named(self, name: str, port: int | None) -> bool:
        return name in self._own or any(_allows(entry, name, port) for entry in self._entries)


def _allows(entry: tuple[str, int | None], name: str, port: int | None) -> bool:
    allowed, at = entry
    if at is not None and at != port and not (port is None and at in _DEFAULT_PORTS):
        return False
    if allowed.startswith(_SUBDOMAINS):
        return name.endswith(allowed.removeprefix(_ANY)) and _is_name(name)
    return allowed in {_ANY, name}


def _split_host(host: str) -> tuple[str, int | None]:
    """Split "NAME[:PORT]" into name and port, in lower case; the name is empty if it cannot be read."""
    text = host.strip().lower()
    bracketed = re.fullmatch(r"\[([0-9a-f:.]+)\](?::(\d{1,5}))?", text)
    plain = re.fullmatch(r"([^:\[\]]+?)\.?(?::(\d{1,5}))?", text)
    match = bracketed or plain
    if match is None:
        return (address, None) if (address := _read_address(text)) is not None else ("", None)
    port = int(match[2]) if match[2] else None
    if port is not None and port > _HIGHEST_PORT:
        return "", None
    return _read_address(match[1]) or ("" if bracketed else match[1]), port


def _read_origin_host(origin: str) -> str:
    """Return "NAME[:PORT]" of an Origin; empty if it has none, as for a page in a sandbox."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _add_brackets(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _is_name(name: str) -> bool:
    return _read_address(name) is not None or _NAME.fullmatch(name) is not None


def _read_address(name: str) -> str | None:
    """Return an IP address in its shortest form; None if `name` is not one."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return None


def _is_plain_address(name: str) -> bool:
    """Return whether it is an IP address, and no other form of one that browsers also take for this machine: to
    0.0.0.0 and [::ffff:127.0.0.1] they do not say which site a request comes from."""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return not address.is_unspecified and getattr(address, "ipv4_mapped", None) is None


def _is_private(name: str) -> bool:
    """Return whether public DNS does not have this name, so that a page of another site cannot have it."""
    return _is_name(name) and ("." not in name or name.endswith(_PRIVATE))

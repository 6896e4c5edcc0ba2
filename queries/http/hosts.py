"""The names by which a request may call the server, as its Host header says them, and the pages it may come from.

A page of another site whose own name resolves to this address (DNS rebinding) calls the server by that name, and is
refused. An IP address cannot be made to resolve to another one.
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
"""The ports that clients leave out of the Host header."""

_PRIVATE: Final = (".internal", ".local", ".localhost")
"""Ends of names that public DNS never answers (RFC 6761, RFC 6762, ICANN's resolution of 2024-07-29)."""


def checked(entry: str) -> str:
    """Normalise an entry of the allowed hosts. Raises ValueError, which says how to write one."""
    name, port = _split_host(entry)
    if name == _ANY or _is_name(name.removeprefix(_SUBDOMAINS)):
        return _add_brackets(name) if port is None else f"{_add_brackets(name)}:{port}"
    raise ValueError(
        f"{entry[:100]!r} is not the name of a host; write it as a request says it, such as grade.example.com or "
        "192.0.2.7, with :PORT for that port alone; *.example.com allows all names below, * allows every name"
    )


def name_of(host: str) -> str | None:
    """Give the name in a Host header, as an entry of the allowed hosts; None where it has none."""
    name, _ = _split_host(host)
    return _add_brackets(name) if _is_name(name) else None


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches a server that listens on "HOST[:PORT]"."""
    name, _ = _split_host(address)
    return name == "localhost" or (_read_address(name) is not None and ipaddress.ip_address(name).is_loopback)


class AllowedHosts:
    """The loopback's names, every IP address, the name that is listened on, and `entries`, which may change while
    requests come."""

    def __init__(self, bound: str = "127.0.0.1", entries: Iterable[str] = ()) -> None:
        name, _ = _split_host(bound)
        self._own = _LOOPBACK_NAMES | {name}
        self._is_loopback = is_loopback(bound)
        self.change(entries)

    def change(self, entries: Iterable[str]) -> None:
        """Replace the entries. Raises ValueError."""
        self._entries = frozenset(_split_host(checked(entry)) for entry in entries)

    def __contains__(self, host: object) -> bool:
        """Whether a request may have this Host header."""
        name, port = _split_host(host) if isinstance(host, str) else ("", None)
        return _read_address(name) is not None or self._is_named(name, port)

    def allow_page(self, origin: str) -> bool:
        """Whether pages of this Origin may send records: those of the server's names. An address does not suffice,
        since the pages of others have addresses, too."""
        return self._is_named(*_split_host(_read_origin_host(origin)))

    def allow_sender(self, host: str) -> bool:
        """Whether a request with this Host header may bring records.

        A server that others reach, and that has no entries, is called by any name: programs in a network of containers
        call it by names that it does not know. Names that public DNS does not have cannot be those of a page.
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
    """Split "NAME[:PORT]" into name and port, in lower case; no name where it cannot be read."""
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
    """Give "NAME[:PORT]" of an Origin; nothing where it has none, as that of a page in a sandbox."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _add_brackets(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _is_name(name: str) -> bool:
    return _read_address(name) is not None or _NAME.fullmatch(name) is not None


def _read_address(name: str) -> str | None:
    """Give an IP address in its shortest form; None where it is not one."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return None


def _is_private(name: str) -> bool:
    """Whether it is a name that public DNS does not have, so that the page of a stranger cannot have it."""
    return _is_name(name) and ("." not in name or name.endswith(_PRIVATE))

"""The origins of pages of other sites that may call the API from a browser (CORS)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import SplitResult, urlsplit

__all__ = ["AllowedOrigins", "check_origin"]

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def check_origin(entry: str) -> str:
    """Return an origin as browsers send it. Raises ValueError, which says how to write one."""
    origin = _read_origin(entry.strip().lower())
    if origin is None:
        raise ValueError(
            f"{entry[:100]!r} is not the origin of a page; write scheme, name and port as browsers send them, such as "
            "https://dashboards.example.com or http://localhost:3000, without a path"
        )
    return origin


class AllowedOrigins:
    """Exact origins, which may be changed while the server runs; none by default."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self.change(entries)

    def change(self, entries: Iterable[str]) -> None:
        """Replace the origins. Raises ValueError."""
        self._entries = frozenset(check_origin(entry) for entry in entries)

    def __bool__(self) -> bool:
        """Return whether any origin is allowed."""
        return bool(self._entries)

    def __contains__(self, origin: object) -> bool:
        """Return whether pages of this Origin header may call the API."""
        return origin in self._entries


def _read_origin(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or _has_more(parts):
        return None
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    suffix = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{name}{suffix}"


def _has_more(parts: SplitResult) -> bool:
    """Return whether it is more than an origin, or a pattern."""
    has_user = parts.username is not None or parts.password is not None
    return has_user or parts.path not in ("", "/") or bool(parts.query or parts.fragment) or "*" in parts.netloc

"""The note that a running server leaves beside its store, so that other commands of the same user find it.

Commands send their token to the address in it, so a note counts only if no other user can have written it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from tracegrade.queries.http.hosts import is_loopback

from ..system.private_file import create_private_file, read_own
from .http_client import is_alive

if TYPE_CHECKING:
    from ..store.engines.location import Location

__all__ = ["ServerNote", "find_server", "leave_note", "read_note", "remove_note"]


_LIMIT_BYTES: Final = 2**16


@dataclass(frozen=True, slots=True)
class ServerNote:
    """The process that holds a store, its version and start, and the addresses of its API and of OTLP.

    `otlp_url` is for HTTP; `otlp_grpc` is HOST:PORT for gRPC. `open_at` is the address at which the API answers other
    machines without a token; None if it does not.
    """

    pid: int
    url: str
    otlp_url: str
    version: str
    started_at: str
    otlp_grpc: str | None = None  # None in the note of an earlier version
    open_at: str | None = None


def leave_note(
    store: str, *, url: str, otlp_url: str, otlp_grpc: str, version: str, open_at: str | None = None
) -> None:
    """Write the note of the store with this URL, whole or not at all."""
    note = ServerNote(os.getpid(), url, otlp_url, version, datetime.now(UTC).isoformat(), otlp_grpc, open_at)
    target = _note_file(store)
    draft = target.with_name(f"{target.name}.{note.pid}")
    with create_private_file(draft) as file:
        file.write(json.dumps(asdict(note)).encode())
    draft.replace(target)


def remove_note(store: str) -> None:
    """Remove the note if this process wrote it."""
    note = read_note(store)
    if note is not None and note.pid == os.getpid():
        _note_file(store).unlink(missing_ok=True)


def read_note(store: str) -> ServerNote | None:
    """Return the note beside the store with this URL. The server that it names may have ended.

    None unless this user wrote the note and its address is a loopback address.
    """
    try:
        note = ServerNote(**json.loads(read_own(_note_file(store), limit_bytes=_LIMIT_BYTES) or b""))
        return note if is_loopback(urlsplit(note.url).netloc) else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def find_server(store: str) -> ServerNote | None:
    """Return the note of the server that holds the store with this URL and answers; None if there is none.

    The process that the note names must have the store open. Otherwise a stranger may answer at its address, and would
    receive the token.
    """
    note = read_note(store)
    return note if note is not None and _is_holder(note.pid, store) and is_alive(note.url) else None


def _is_holder(pid: int, store: str) -> bool:
    return pid == os.getpid() or pid == _locate(store).find_holder()


def _note_file(store: str) -> Path:
    return _locate(store).companion("server")


def _locate(store: str) -> Location:
    from ..store.engines.selection import locate  # noqa: PLC0415 - commands that name a server need no store

    return locate(store)

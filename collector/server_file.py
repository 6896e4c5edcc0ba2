"""The note that a running server leaves beside its store, so that other commands find it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["ServerNote", "forget", "leave", "note_of"]


@dataclass(frozen=True, slots=True)
class ServerNote:
    """Who holds a store, where its API is, and where it takes OTLP over HTTP and, as HOST:PORT, over gRPC. `open_at` is
    the address where the API answers other machines without a token; None where it does not."""

    pid: int
    url: str
    otlp_url: str
    version: str
    started_at: str
    otlp_grpc: str | None = None  # by an earlier version
    open_at: str | None = None


def leave(store: Path, *, url: str, otlp_url: str, otlp_grpc: str, version: str, open_at: str | None = None) -> None:
    """Writes `<store>.server`, whole or not at all."""
    note = ServerNote(os.getpid(), url, otlp_url, version, datetime.now(UTC).isoformat(), otlp_grpc, open_at)
    target = _beside(store)
    draft = target.with_name(f"{target.name}.{note.pid}")
    draft.write_text(json.dumps(asdict(note)), encoding="utf-8")
    draft.replace(target)


def forget(store: Path) -> None:
    """Removes the note, if it is ours."""
    note = note_of(store)
    if note is not None and note.pid == os.getpid():
        _beside(store).unlink(missing_ok=True)


def note_of(store: Path) -> ServerNote | None:
    """The note beside a store; None when there is none that can be read. The server it names may be gone."""
    try:
        return ServerNote(**json.loads(_beside(store).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _beside(store: Path) -> Path:
    return store.with_name(f"{store.name}.server")

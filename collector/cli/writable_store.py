"""Opens the store of a command that writes, or finds the server that holds it."""

from __future__ import annotations

from ..client.discovery import find_server
from ..client.source import require_store
from ..config.settings import Settings
from ..server.pipeline import Pipeline
from ..store.errors import StoreLocked

__all__ = ["open_pipeline"]


def open_pipeline(settings: Settings, server: str | None) -> Pipeline | str:
    """Return the pipeline on the store, or the address of the server that is named or holds the store.

    Raises StoreUnavailable if there is no store, or if another process holds it.
    """
    if server is not None:
        return server
    require_store(settings)
    try:
        return Pipeline(settings)
    except StoreLocked:
        if (note := find_server(settings.store)) is None:
            raise
        return note.url

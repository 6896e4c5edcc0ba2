"""Opens the source of a command that also needs the evaluators or judges of the configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..client.settings import load_settings
from ..client.source import Source, open_source
from ..config.settings import Settings

__all__ = ["open_configured_source"]


@contextmanager
def open_configured_source(
    config: Path | None, *, store: str | None, server: str | None
) -> Iterator[tuple[Settings, Source]]:
    """Load the settings; yield them with the opened store or its server. Raises StoreUnavailable or Fault."""
    settings = load_settings(config, store=store)
    with open_source(settings, server) as source:
        yield settings, source

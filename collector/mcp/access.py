"""Opens for each call the store, or the server that holds it, so that a store is never held between calls."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server.mcpserver.exceptions import ToolError

from tracegrade.queries.cookbook.errors import ReportError
from tracegrade.queries.cookbook.library import Library

from ..client.source import LocalSource, RemoteSource, open_source
from ..config.settings import Settings
from ..errors import Fault
from ..reports.cookbook import open_library

__all__ = ["Access", "explaining"]

_TIMEOUT_S = 60.0


class Access:
    """Reads what the options of the command name. For any thread; one call at a time reads."""

    def __init__(self, settings: Settings, *, server: str | None) -> None:
        self.settings = settings
        self._server = server
        self._turn = threading.Lock()

    @contextmanager
    def reading(self, *, max_rows: int = 1_000) -> Iterator[LocalSource | RemoteSource]:
        """Yield the source of one call. Raises ToolError for what the model or its user has to change."""
        with (
            explaining(),
            self._turn,
            open_source(self.settings, self._server, max_rows=max_rows, timeout_s=_TIMEOUT_S, read_only=True) as source,
        ):
            yield source

    def library(self) -> Library:
        """Return the reports, those of the user's folder as they are now. Raises ToolError."""
        with explaining():
            return open_library(self.settings)


@contextmanager
def explaining() -> Iterator[None]:
    """Raise errors that say what to change as ToolError, whose message a model is shown."""
    try:
        yield
    except (Fault, ReportError) as error:
        raise ToolError(str(error)) from error

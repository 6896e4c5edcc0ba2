"""The log of the program. Its library is imported with the first event, for it brings the colours of tracebacks."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from tracegrade.queries.foreign_text import without_controls

__all__ = ["harmless", "log"]


def harmless(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor of structlog: what an event quotes of others is shown and never obeyed by a terminal."""
    return {key: without_controls(value) if isinstance(value, str) else value for key, value in event.items()}


class _Log:
    """structlog's logger, as it is configured when something is logged."""

    def __getattr__(self, name: str) -> Any:
        import structlog  # noqa: PLC0415 - a short command logs nothing

        if not structlog.is_configured():
            structlog.configure(processors=[harmless, *structlog.get_config()["processors"]])
        return getattr(structlog.get_logger(), name)


log = _Log()

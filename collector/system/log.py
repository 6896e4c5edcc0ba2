"""The log of the program. structlog is imported with the first event, since importing it takes time."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from tracegrade.queries.foreign_text import without_controls

__all__ = ["log", "remove_controls"]


def remove_controls(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Remove control characters from an event, as a processor of structlog: foreign text cannot control a terminal.

    Values that are no text, such as exceptions, are written as text later, and are therefore cleaned as text.
    """
    return {
        key: value
        if key == "exc_info" or value is None or isinstance(value, (int, float))
        else without_controls(str(value))
        for key, value in event.items()
    }


class _Log:
    """structlog's logger, with the configuration at the time of the event."""

    def __getattr__(self, name: str) -> Any:
        import structlog  # noqa: PLC0415 - a short command logs nothing

        if not structlog.is_configured():
            structlog.configure(processors=[remove_controls, *structlog.get_config()["processors"]])
        return getattr(structlog.get_logger(), name)


log = _Log()

"""The log of the program. Its library is imported with the first event, for it brings the colours of tracebacks."""

from __future__ import annotations

from typing import Any

__all__ = ["log"]


class _Log:
    """structlog's logger, as it is configured when something is logged."""

    def __getattr__(self, name: str) -> Any:
        import structlog  # noqa: PLC0415 - a short command logs nothing

        return getattr(structlog.get_logger(), name)


log = _Log()

"""Types of the words and ids that several commands take."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, StringConstraints

from ..foreign_text import is_shown_whole

__all__ = ["DatasetName", "Name", "RunId", "SpanId", "Text", "Time", "TraceId", "check_shown_whole", "check_year"]

Name: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text: TypeAlias = Annotated[str, StringConstraints(max_length=20_000)]


def _refuse_number(value: Any) -> Any:
    if isinstance(value, (int, float)):
        raise ValueError(f"it is {value}; write a time such as 2026-01-31T12:00:00Z")  # noqa: TRY004 - pydantic's way
    return value


Time: TypeAlias = Annotated[datetime, BeforeValidator(_refuse_number)]
"""A time as text; UTC if it names no zone."""

DatasetName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
TraceId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{32}$", to_lower=True)]
SpanId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{16}$", to_lower=True)]
RunId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{32}-[0-9a-fA-F]{16}$", to_lower=True)]


def check_shown_whole(name: str) -> str:
    """Return the name. Raises ValueError if a part of it is not shown."""
    if not is_shown_whole(name):
        raise ValueError("contains control, bidirectional or zero-width characters; remove them")
    return name


def check_year(time: datetime) -> datetime:
    """Return the time. Raises ValueError if the store cannot hold it."""
    if not 1970 <= time.year <= 2262:
        raise ValueError("is not between 1970 and 2262")
    return time

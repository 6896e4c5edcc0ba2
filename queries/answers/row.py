"""The base of rows, and JSON columns."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict

__all__ = ["Json", "Names", "Row"]


class Row(BaseModel):
    """A row, of which only the named columns are answered."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _parse(value: object) -> object:
    """Parse a JSON column, which is read as text; text that is not JSON, such as half a character, stays as it is."""
    try:
        return orjson.loads(value) if isinstance(value, str) else value
    except orjson.JSONDecodeError:
        return value


Json: TypeAlias = Annotated[Any, BeforeValidator(_parse)]
Names: TypeAlias = Annotated[list[str], BeforeValidator(_parse)]

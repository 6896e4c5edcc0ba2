"""The base class of the model's values: they are frozen, and an unknown field is an error."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

__all__ = ["JsonObject", "Value"]

JsonObject: TypeAlias = dict[str, Any]


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

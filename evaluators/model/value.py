"""The base class of the model's values: they are frozen, and an unknown field is an error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from pydantic import BaseModel, ConfigDict

__all__ = ["JsonObject", "NoBuilder", "Value", "explain_missing"]

JsonObject: TypeAlias = dict[str, Any]

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")
_OTHER_NAMES: Final = {"arguments": "args", "arguments_as": "args_as"}


class NoBuilder:
    """Base of classes that have builders in other systems."""

    @classmethod
    def builder(cls) -> NoReturn:
        """Raise TypeError that says what to write instead."""
        raise TypeError(f"{cls.__name__} has no builder; give its fields by name: {cls.__name__}(…)")


def explain_missing(value: object, name: str) -> AttributeError:
    """Return the error for an attribute that `value` lacks, with the name that it has here if another system's is
    known."""
    snake = _CAPITAL.sub(r"_\1", name).lower()
    here = _OTHER_NAMES.get(snake, snake)
    owner = type(value)
    is_known = here != name and (here in getattr(owner, "model_fields", ()) or hasattr(owner, here))
    meant = f"; here it is {here!r}" if is_known else ""
    return AttributeError(f"{owner.__name__!r} object has no attribute {name!r}{meant}")


class Value(BaseModel, NoBuilder):
    model_config = ConfigDict(frozen=True, extra="forbid")

    if not TYPE_CHECKING:  # with it, no attribute would be unknown to a type checker

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError, with the name that an attribute of another system has here."""
            raise explain_missing(self, name)

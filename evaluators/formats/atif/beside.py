"""What our runs and calls have and ATIF has no field for: it is written under `extra.tracegrade`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from ...model import JsonObject
from ...model.value import Value
from ...text.validation_errors import reason, steps
from ..spelling import Unreadable

__all__ = ["KEY", "differences", "restore"]

KEY: Final = "tracegrade"

V = TypeVar("V", bound=Value)


def differences(value: Value, implied: Value, *, without: Collection[str] = ()) -> JsonObject:
    """Return the fields of a value that a reader would not get from what is `implied`, as JSON."""
    wanted, known = value.model_dump(mode="json"), implied.model_dump(mode="json")
    return {name: field for name, field in wanted.items() if name not in without and field != known[name]}


def restore(implied: V, changes: Any, place: str, *, without: Collection[str] = ()) -> V:
    """Return the value whose `differences` from the implied one are these. Raises ValueError that names the field."""
    if not isinstance(changes, dict) or not changes:
        return implied
    changed = {name: value for name, value in changes.items() if name not in without}
    try:
        return type(implied).model_validate({**implied.model_dump(), **changed})
    except ValidationError as error:
        fault = error.errors()[0]
        raise Unreadable(f"{place}.{'.'.join(map(str, steps(fault)))}: {reason(fault)}") from error

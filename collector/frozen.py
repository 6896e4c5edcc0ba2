"""Copies of frozen dataclasses with some fields changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["replace"]

if TYPE_CHECKING:
    from dataclasses import replace
else:
    T = TypeVar("T")

    def replace(value: T, /, **changes: Any) -> T:
        """As `dataclasses.replace`, for classes without slots; of some forty fields only the changed ones are touched.

        The fields are not checked here, but by the type checker.
        """
        copy = object.__new__(type(value))
        fields = vars(copy)
        fields.update(vars(value))
        fields.update(changes)
        return copy

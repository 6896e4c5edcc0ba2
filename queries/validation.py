"""Explains what is wrong with the fields of a request body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from tracegrade.evaluators.text.suggestions import fields_at, hint
from tracegrade.evaluators.text.validation_errors import reason

__all__ = ["faults"]


def faults(error: ValidationError, model: type[BaseModel], *, within: str = "") -> str:
    """Return what is wrong with a body, and where: `annotations[1].value: …`.

    For a field that `model` does not have, the nearest field is suggested.
    """
    return "; ".join(
        f"{_format_path((within, *each['loc']))}: {_explain_fault(each, model)}" for each in error.errors()
    )


def _explain_fault(fault: Mapping[str, Any], model: type[BaseModel]) -> str:
    if fault["type"] != "extra_forbidden":
        return reason(fault)
    *above, field = fault["loc"]
    return f"{reason(fault)}{hint(str(field), fields_at(model, above))}"


def _format_path(parts: tuple[str | int, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts if part != "")
    return path.removeprefix(".") or "body"

"""Types of settings with their validation."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from ..receiver.address import parted

__all__ = ["EXTERNAL", "Address", "Name"]

EXTERNAL = "external/"
"""Prefix of external scores that have the name of an evaluator, as in the macro `attributed_feedback`."""


def _require_one_line(value: str) -> str:
    if not value.isprintable() or value != value.strip():
        raise ValueError("not a valid name; write it on one line, without spaces around it")
    return value


def _refuse_external(value: str) -> str:
    if value.startswith(EXTERNAL):
        raise ValueError(f"{EXTERNAL} is the prefix of external scores; leave it out")
    return value


def _validate_address(value: str) -> str:
    parted(value)
    return value


Address = Annotated[str, AfterValidator(_validate_address)]
"""HOST:PORT."""

Name = Annotated[str, Field(min_length=1), AfterValidator(_require_one_line), AfterValidator(_refuse_external)]

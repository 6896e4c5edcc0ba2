"""Kinds of values that people write in settings, and what is said to them when they write something else."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from .receiver.address import parted

__all__ = ["Address", "Name", "Share"]


def _share(value: object) -> object:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and not 0 <= value <= 1:  # type: ignore[operator]
        raise ValueError(f"it is {value}; write a number from 0 to 1")
    return value


def _on_one_line(value: str) -> str:
    if not value.isprintable() or value != value.strip():
        raise ValueError("it is no name; write it on one line, without spaces around it")
    return value


def _address(value: str) -> str:
    parted(value)
    return value


Address = Annotated[str, AfterValidator(_address)]
"""HOST:PORT."""

Name = Annotated[str, Field(min_length=1), AfterValidator(_on_one_line)]

Share = Annotated[float, Strict(), Field(ge=0, le=1), BeforeValidator(_share)]
"""A number in [0, 1]; no truth value, for which `true` would be 1."""

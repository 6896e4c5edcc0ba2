"""Kinds of values that people write in settings, and what is said to them when they write something else."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from ..receiver.address import parted

__all__ = ["EXTERNAL", "Address", "Name"]

EXTERNAL = "external/"
"""Before the name of an evaluator where an external score has it, in the macro `believed_feedback`."""


def _on_one_line(value: str) -> str:
    if not value.isprintable() or value != value.strip():
        raise ValueError("it is no name; write it on one line, without spaces around it")
    return value


def _of_ours(value: str) -> str:
    if value.startswith(EXTERNAL):
        raise ValueError(f"it begins with {EXTERNAL}, as names do that others use for theirs; leave that out")
    return value


def _address(value: str) -> str:
    parted(value)
    return value


Address = Annotated[str, AfterValidator(_address)]
"""HOST:PORT."""

Name = Annotated[str, Field(min_length=1), AfterValidator(_on_one_line), AfterValidator(_of_ours)]

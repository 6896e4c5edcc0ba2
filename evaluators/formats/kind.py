"""A kind of file: how it is recognised, read and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from .imported import Imported, Reader, RecordFault
from .record import Record

__all__ = ["NO_CLAIM", "Claim", "Kind", "OpenSubAgent", "Writer", "write_lines"]

Writer: TypeAlias = Callable[[Iterable[Imported]], Iterator[str]]
"""Writes runs and items as the text of a file, in pieces. What the kind cannot represent is left out."""

OpenSubAgent: TypeAlias = Callable[[str], Iterable[Record] | None]
"""Returns the records of the file of a sub-agent, by the name that the file of its caller has for it; None without one.

A name is text of a file that may be forged, and must not lead out of the folder.
"""


class Claim(NamedTuple):
    """How surely a record is of a kind, and by what it is recognised.

    1: it may be; 2: by several of its fields; 3: by a field that no other kind has.
    """

    strength: Literal[0, 1, 2, 3]
    reason: str


NO_CLAIM: Final = Claim(0, "")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file. `lists` are the keys of an object under which it may have its records.

    A general kind gives way to another one that claims the same records equally. With `has_unique_ids`, two runs with
    the same id are the same run, also in different files. `read_with` reads a file whose sub-agents have files of
    their own. `writes_items` is False if only runs can be written.
    """

    name: str
    description: str
    claim: Callable[[Record], Claim]
    read: Reader
    write: Writer | None = None
    lists: tuple[str, ...] = ()
    is_general: bool = False
    has_unique_ids: bool = False
    read_with: Callable[[Iterable[Record], OpenSubAgent], Iterator[Imported | RecordFault]] | None = None
    writes_items: bool = True


def write_lines(entries: Iterable[Imported], write: Callable[[Imported], Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line of JSON for each entry."""
    for entry in entries:
        yield f"{json.dumps(write(entry), ensure_ascii=False)}\n"

"""Sections of evidence as lines: texts that lose their middle, entries as JSON, and marks around it all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .parts import Content, Entry

__all__ = ["Line", "Pen", "Section", "length"]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a run, or of one turn of a conversation, counted from 1."""

    part: str
    content: Content
    turn: int | None = None

    @property
    def name(self) -> str:
        return self.part if self.turn is None else f"turn {self.turn}: {self.part}"

    @property
    def entries(self) -> Sequence[Entry]:
        """Those of a list; none of a text."""
        return () if self.content is None or isinstance(self.content, str) else self.content


class Line(NamedTuple):
    """`left_out` counts the characters that its texts have lost."""

    text: str
    left_out: int = 0


class Pen:
    """Writes sections, each of their entries once for each `most`, the characters of a single text.

    Where something is missing stands a mark, as at the ends of sections. Until all is written a blank holds its place,
    a word that stands in none of `sections`; `marked` puts the mark there.
    """

    def __init__(self, sections: Iterable[Section]) -> None:
        self._blank = _absent("\n".join(text for each in sections for text in (each.name, *_texts(each.content))))
        self._written: dict[tuple[Entry, int], Line] = {}

    def lines(self, content: Content, most: int) -> Iterator[Line]:
        """What stands in a section."""
        if isinstance(content, str):
            yield self._cut(content, most)
            return
        for entry in content or ():
            known = self._written.get((entry, most))
            if known is None:
                known = self._written[entry, most] = self._line(entry, most)
            yield known

    def gap(self, entries: int) -> str:
        """The line that stands for entries left out."""
        return _json({"left_out": entries, "mark": self._blank})

    def framed(self, section: Section, lines: Sequence[str]) -> list[str]:
        """The section between its marks, so that nothing in it can end it; or that it was not recorded."""
        if section.content is None:
            return [f"[{self._blank} {section.name}: not recorded]"]
        return [f"[{self._blank} begin {section.name}]", *lines, f"[{self._blank} end {section.name}]"]

    def marked(self, text: str) -> str:
        """What was written, with its mark: a word that stands nowhere else in it, so that a run can neither end its
        section nor claim that the rest was left out for the judge. It depends on what is shown, and on nothing else."""
        return text.replace(self._blank, _absent(text.replace(self._blank, "")))

    def _line(self, entry: Entry, most: int) -> Line:
        values = {key: self._value(value, most) for key, value in entry.told.items()}
        left_out = sum(left_out for _, left_out in values.values())
        return Line(_json({key: value for key, (value, _) in values.items()}), left_out)

    def _value(self, value: Any, most: int) -> tuple[Any, int]:
        if isinstance(value, str):
            return self._cut(value, most)
        if value is None or isinstance(value, (int, float)):
            return value, 0
        written = _json(value)
        return (value, 0) if len(written) <= most else self._cut(written, most)

    def _cut(self, text: str, most: int) -> Line:
        if len(text) <= most:
            return Line(text)
        head, tail = text[: most * 2 // 3], text[len(text) - most // 3 :]
        left_out = len(text) - len(head) - len(tail)
        return Line(f"{head} [{self._blank}: {left_out} characters left out] {tail}", left_out)


def length(lines: Iterable[str]) -> int:
    """How many characters they take, with the ends of lines."""
    return sum(len(line) + 1 for line in lines)


def _absent(whole: str) -> str:
    """A hash of it that does not stand in it: nobody who writes a part of it can foretell it."""
    mark = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    while mark in whole:
        mark = hashlib.sha256(mark.encode()).hexdigest()[:16]
    return mark


def _texts(content: Content) -> Iterator[str]:
    """All that may be shown of it."""
    if content is None or isinstance(content, str):
        yield content or ""
        return
    for entry in content:
        for key, value in entry.told.items():
            yield key
            yield value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return '"nested too deeply to be shown"'

"""Renders sections of evidence as lines: texts cut in their middle, entries as JSON, marks around each section."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .evidence_parts import Content, Entry

__all__ = ["EvidenceWriter", "Line", "Section", "length"]


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
        """The entries of a list; a text has none."""
        return () if self.content is None or isinstance(self.content, str) else self.content


class Line(NamedTuple):
    """A line of evidence; `left_out` counts the characters cut out of its texts."""

    text: str
    left_out: int = 0


class EvidenceWriter:
    """Renders sections. Lines are cached by entry and `most`, the limit of a single text in characters.

    A mark frames each section and shows where something was cut out. It depends on the whole text, so lines first
    contain a placeholder, a word that does not occur in `sections`; `marked` replaces it.
    """

    def __init__(self, sections: Iterable[Section]) -> None:
        self._placeholder = _absent(
            "\n".join(text for section in sections for text in (section.name, *_texts(section.content)))
        )
        self._written: dict[tuple[Entry, int], Line] = {}

    def lines(self, content: Content, most: int) -> Iterator[Line]:
        """Yield the lines of a section, with single texts of at most `most` characters."""
        if isinstance(content, str):
            yield self._cut_text(content, most)
            return
        for entry in content or ():
            known = self._written.get((entry, most))
            if known is None:
                known = self._written[entry, most] = self._line(entry, most)
            yield known

    def gap(self, entries: int) -> str:
        """Return the line that replaces entries that are left out."""
        return _json({"left_out": entries, "mark": self._placeholder})

    def framed(self, section: Section, lines: Sequence[str]) -> list[str]:
        """Return the lines between marks that their text cannot forge; one line if the section is not recorded."""
        if section.content is None:
            return [f"[{self._placeholder} {section.name}: not recorded]"]
        return [f"[{self._placeholder} begin {section.name}]", *lines, f"[{self._placeholder} end {section.name}]"]

    def marked(self, text: str) -> str:
        """Return the text with its mark instead of the placeholder.

        The mark is a word that does not occur elsewhere in the text, so that content of a run cannot end its section or
        pretend that something was cut out. The same text always has the same mark.
        """
        return text.replace(self._placeholder, _absent(text.replace(self._placeholder, "")))

    def _line(self, entry: Entry, most: int) -> Line:
        values = {key: self._value(value, most) for key, value in entry.fields.items()}
        left_out = sum(left_out for _, left_out in values.values())
        return Line(_json({key: value for key, (value, _) in values.items()}), left_out)

    def _value(self, value: Any, most: int) -> tuple[Any, int]:
        if isinstance(value, str):
            return self._cut_text(value, most)
        if value is None or isinstance(value, (int, float)):
            return value, 0
        written = _json(value)
        return (value, 0) if len(written) <= most else self._cut_text(written, most)

    def _cut_text(self, text: str, most: int) -> Line:
        if len(text) <= most:
            return Line(text)
        head, tail = text[: most * 2 // 3], text[len(text) - most // 3 :]
        left_out = len(text) - len(head) - len(tail)
        return Line(f"{head} [{self._placeholder}: {left_out} characters left out] {tail}", left_out)


def length(lines: Iterable[str]) -> int:
    """Return the number of characters of these lines, including line ends."""
    return sum(len(line) + 1 for line in lines)


def _absent(whole: str) -> str:
    """Return a hash of the text that does not occur in it. The author of a part of the text cannot predict it."""
    mark = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    while mark in whole:
        mark = hashlib.sha256(mark.encode()).hexdigest()[:16]
    return mark


def _texts(content: Content) -> Iterator[str]:
    """Yield every text that may be shown of the content."""
    if content is None or isinstance(content, str):
        yield content or ""
        return
    for entry in content:
        for key, value in entry.fields.items():
            yield key
            yield value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return '"nested too deeply to be shown"'

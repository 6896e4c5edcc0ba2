"""What a judge sees of a run: chosen parts, marked as data, and cut by rule where they are too long.

The same run always gives the same text, for answers are remembered by what was asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from ..model import AgentTrace, JsonObject
from .parts import PARTS, Content, Entry

__all__ = ["MAX_CHARACTERS", "Evidence", "Given", "evidence", "shown"]

Given: TypeAlias = AgentTrace | Sequence[AgentTrace]
"""A run, or the turns of a conversation, oldest first."""

MAX_CHARACTERS: Final = 60_000
_TEXT_CHARACTERS: Final = (8_000, 2_000, 500)
"""How long a single text may be: the first with which everything fits."""

_Section: TypeAlias = tuple[str, Content]


@dataclass(frozen=True, slots=True)
class Evidence:
    """`text` is what is shown; `cut` says what of it is not, by part; `missing` are the parts nobody recorded."""

    text: str
    parts: tuple[str, ...]
    missing: tuple[str, ...] = ()
    cut: JsonObject = field(default_factory=dict)

    @property
    def details(self) -> JsonObject:
        """What a score tells about it."""
        told: JsonObject = {"parts": list(self.parts), "cut": self.cut}
        return {"evidence": told | ({"not_recorded": list(self.missing)} if self.missing else {})}


def evidence(
    given: Given,
    parts: Sequence[str],
    *,
    more: Mapping[str, Content] | None = None,
    max_characters: int = MAX_CHARACTERS,
    text_characters: int | None = None,
    keep: Mapping[str, frozenset[int]] | None = None,
) -> Evidence:
    """These parts of a run, or of each turn of a conversation, and whatever else `more` names.

    Of a conversation the turns in the middle are left out where even their texts do not fit. Then, with over
    `max_characters`, single texts lose their middle, then lists lose the entries in theirs: the beginning,
    the end, errors and the entries whose positions `keep` names, by part, stay. `text_characters` is the most of every
    single text.
    """
    sections, left_out = _sections(given, parts, max_characters=max_characters)
    if left_out:
        sections.append(("turns left out of the middle", str(left_out)))
    sections += (more or {}).items()
    found = shown(sections, max_characters=max_characters, text_characters=text_characters, keep=keep)
    if isinstance(given, AgentTrace):
        return found
    return replace(
        found,
        parts=(*parts, *(more or {})),
        missing=tuple(part for part in parts if all(PARTS[part](run) is None for run in given)),
        cut=found.cut | ({"turns": left_out} if left_out else {}),
    )


def shown(
    sections: Sequence[_Section],
    *,
    max_characters: int = MAX_CHARACTERS,
    text_characters: int | None = None,
    keep: Mapping[str, frozenset[int]] | None = None,
) -> Evidence:
    """Sections as evidence, each by its name."""
    levels = _TEXT_CHARACTERS if text_characters is None else (text_characters,)
    mark = _mark(sections)
    cutting = _Cutting(mark, keep=keep or {})
    for level in levels:
        cutting = _Cutting(mark, text_characters=level, keep=keep or {})
        bodies = {name: cutting.lines(name, content) for name, content in sections if content is not None}
        if sum(_length(lines) for lines in bodies.values()) <= max_characters:
            break
    else:
        bodies = cutting.thinned(bodies, dict(sections), max_characters=max_characters)
    return Evidence(
        text=_marked([(name, bodies.get(name)) for name, _ in sections], mark),
        parts=tuple(dict.fromkeys(name for name, _ in sections)),
        missing=tuple(name for name, content in sections if content is None),
        cut=cutting.told(),
    )


def _sections(given: Given, parts: Sequence[str], *, max_characters: int) -> tuple[list[_Section], int]:
    """The sections, and how many turns are left out of the middle of a conversation."""
    if isinstance(given, AgentTrace):
        return [(part, PARTS[part](given)) for part in parts], 0
    turns = [[(f"turn {number}: {part}", PARTS[part](run)) for part in parts] for number, run in enumerate(given, 1)]
    chosen = _within(list(map(_least, turns)), max_characters)
    return [section for at in sorted(chosen) for section in turns[at]], len(turns) - len(chosen)


def _least(turn: Sequence[_Section]) -> int:
    """How much of a turn is shown in any case: lists give way, texts do not."""
    return sum(min(len(content), _TEXT_CHARACTERS[-1]) for _, content in turn if isinstance(content, str))


def _within(sizes: Sequence[int], room: int) -> set[int]:
    """The first and the last positions, as many as there is room for, and always one of each."""
    chosen: set[int] = set()
    for at in sorted(range(len(sizes)), key=lambda at: min(at, len(sizes) - 1 - at)):
        room -= sizes[at]
        if room < 0 and len(chosen) > 1:
            break
        chosen.add(at)
    return chosen


class _Cutting:
    """One try to make it fit, and what it left out. Where something is missing stands `mark`, as at the sections' ends,
    so that a run cannot claim that the rest was left out for the judge."""

    def __init__(
        self, mark: str, *, text_characters: int = _TEXT_CHARACTERS[0], keep: Mapping[str, frozenset[int]]
    ) -> None:
        self._mark = mark
        self._most = text_characters
        self._keep = keep
        self._characters: dict[str, int] = {}
        self._entries: dict[str, int] = {}

    def lines(self, name: str, content: Content) -> list[str]:
        """The lines of a section."""
        if content is None or isinstance(content, str):
            return [self._text(name, content or "")]
        return [self._line(name, entry) for entry in content]

    def thinned(
        self, bodies: Mapping[str, list[str]], contents: Mapping[str, Content], *, max_characters: int
    ) -> dict[str, list[str]]:
        """The sections without the middle of their lists; texts keep their share."""
        lists = {name for name, content in contents.items() if name in bodies and not isinstance(content, str)}
        texts = sum(_length(lines) for name, lines in bodies.items() if name not in lists)
        total = sum(_length(bodies[name]) for name in lists)
        room = max(0, max_characters - texts)
        return {
            name: self._thin(name, lines, contents[name] or (), room * _length(lines) // max(total, 1))
            if name in lists
            else lines
            for name, lines in bodies.items()
        }

    def told(self) -> JsonObject:
        """What was left out: characters of single texts and entries of lists, by section."""
        both = {"characters": self._characters, "entries": self._entries}
        return {what: dict(cut) for what, cut in both.items() if cut}

    def _line(self, name: str, entry: Entry) -> str:
        return _json({key: self._value(name, value) for key, value in entry.told.items()})

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(name, value)
        if value is None or isinstance(value, (int, float)):
            return value
        written = _json(value)
        return value if len(written) <= self._most else self._text(name, written)

    def _text(self, name: str, text: str) -> str:
        if len(text) <= self._most:
            return text
        head, tail = text[: self._most * 2 // 3], text[len(text) - self._most // 3 :]
        left_out = len(text) - len(head) - len(tail)
        self._characters[name] = self._characters.get(name, 0) + left_out
        return f"{head} [{self._mark}: {left_out} characters left out] {tail}"

    def _thin(self, name: str, lines: list[str], content: Any, room: int) -> list[str]:
        """The lines that matter most, in their order, and how many stood where some are missing."""
        chosen: set[int] = set()
        kept = self._keep.get(name, frozenset())
        for at in _by_weight(content, kept):
            room -= len(lines[at]) + 1
            if room >= 0 or at in kept:
                chosen.add(at)
        if len(chosen) < len(lines):
            self._entries[name] = len(lines) - len(chosen)
        return _with_gaps(lines, chosen, self._mark)


def _by_weight(content: Sequence[Entry], keep: frozenset[int]) -> list[int]:
    """Positions, first those to keep, then errors, then from both ends to the middle."""
    count = len(content)

    def weight(at: int) -> tuple[bool, bool, int]:
        return at not in keep, not content[at].is_error, min(at, count - 1 - at)

    return sorted(range(count), key=weight)


def _with_gaps(lines: Sequence[str], chosen: set[int], mark: str) -> list[str]:
    told: list[str] = []
    gap = 0
    for at, line in enumerate(lines):
        if at not in chosen:
            gap += 1
            continue
        told += [_gap(gap, mark)] if gap else []
        told.append(line)
        gap = 0
    return told + ([_gap(gap, mark)] if gap else [])


def _gap(entries: int, mark: str) -> str:
    return _json({"left_out": entries, "mark": mark})


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines)


def _mark(sections: Sequence[_Section]) -> str:
    """A word that stands in none of the sections, a hash of all of them: nobody who writes in one can foretell it."""
    whole = "\n".join(text for name, content in sections for text in (name, *_texts(content)))
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


def _marked(sections: Sequence[tuple[str, Sequence[str] | None]], mark: str) -> str:
    """Each section between marks, so that nothing in one can end it."""
    text = "\n".join(line for name, lines in sections for line in _section(name, lines, mark))
    return text.encode("utf-8", "replace").decode()


def _section(name: str, lines: Sequence[str] | None, mark: str) -> list[str]:
    if lines is None:
        return [f"[{mark} {name}: not recorded]"]
    return [f"[{mark} begin {name}]", *lines, f"[{mark} end {name}]"]


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return '"nested too deeply to be shown"'

"""What a judge sees of a run: chosen parts, marked as data, and cut by rule where they are too long.

The same run always gives the same text, for answers are remembered by what was asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Final, NamedTuple, TypeAlias

from ..model import AgentTrace, JsonObject
from .parts import PARTS, Content
from .pen import Line, Pen, Section, length
from .thinning import fair, weightiest

__all__ = ["MAX_CHARACTERS", "Evidence", "Given", "Sheet", "evidence", "sections_of", "shown"]

Given: TypeAlias = AgentTrace | Sequence[AgentTrace]
"""A run, or the turns of a conversation, oldest first."""

MAX_CHARACTERS: Final = 60_000
_TEXT_CHARACTERS: Final = (8_000, 2_000, 500)
"""How long a single text may be: the first with which everything fits."""

_LEAST_LIST: Final = 500
"""So many characters of a list are shown in any case, where it has as many."""


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
) -> Evidence:
    """These parts of a run, or of each turn of a conversation, and whatever else `more` names.

    With over `max_characters`, single texts lose their middle, then lists lose the entries in theirs: the beginning,
    the end and errors stay. Of a conversation whole turns are left out of the middle where even so it does not fit;
    the first and the last one stay. `text_characters` is the most of every single text.
    """
    others = [Section(name, content) for name, content in (more or {}).items()]
    if isinstance(given, AgentTrace):
        sections = [*sections_of(given, parts), *others]
        return Sheet(sections, max_characters=max_characters, text_characters=text_characters).shown(sections)
    turns = [sections_of(run, parts, turn=number) for number, run in enumerate(given, 1)]
    sheet = Sheet([*chain(*turns), *others], max_characters=max_characters, text_characters=text_characters)
    return replace(_of_turns(sheet, turns, others), parts=(*parts, *(more or {})))


def shown(sections: Sequence[tuple[str, Content]]) -> Evidence:
    """What is no part of a run, each by its name."""
    named = [Section(name, content) for name, content in sections]
    return Sheet(named).shown(named)


def sections_of(run: AgentTrace, parts: Sequence[str], *, turn: int | None = None) -> list[Section]:
    """These parts of a run, which may be the turn of that number."""
    return [Section(part, PARTS[part](run), turn) for part in parts]


def _of_turns(sheet: Sheet, turns: Sequence[Sequence[Section]], others: Sequence[Section]) -> Evidence:
    """The turns that there is room for, and the others."""
    sizes = [sheet.least(turn) for turn in turns]
    room = sheet.max_characters - sheet.least(others)
    if len(turns) <= 2 or sum(sizes) <= room:
        return sheet.shown([*chain(*turns), *others])
    chosen = _within(sizes, room - sheet.least([_note(len(turns))]))
    left_out = len(turns) - len(chosen)
    found = sheet.shown([*chain(*(turns[at] for at in sorted(chosen))), _note(left_out), *others])
    return replace(found, cut=found.cut | {"turns": left_out})


def _note(turns: int) -> Section:
    return Section("turns left out of the middle", str(turns))


def _within(sizes: Sequence[int], room: int) -> set[int]:
    """The first and the last positions, as many as there is room for, and always one of each."""
    chosen: set[int] = set()
    for at in sorted(range(len(sizes)), key=lambda at: min(at, len(sizes) - 1 - at)):
        room -= sizes[at]
        if room < 0 and len(chosen) > 1:
            break
        chosen.add(at)
    return chosen


class _Body(NamedTuple):
    """What is shown of a section, and how many characters and entries of it are not."""

    section: Section
    lines: list[str]
    characters: int = 0
    entries: int = 0


class Sheet:
    """Shows of `sections`, which are all that there are, now these and now those, and writes none of it twice."""

    def __init__(
        self, sections: Sequence[Section], *, max_characters: int = MAX_CHARACTERS, text_characters: int | None = None
    ) -> None:
        self.max_characters = max_characters
        self._pen = Pen(sections)
        self._levels = _TEXT_CHARACTERS if text_characters is None else (text_characters,)
        recorded = {section.part for section in sections if section.content is not None}
        self._missing = {section.part for section in sections} - recorded

    def shown(self, sections: Sequence[Section], *, keep: Mapping[str, frozenset[int]] | None = None) -> Evidence:
        """These, within the limit. Entries of lists whose positions `keep` names, by part, are never left out."""
        whole = (self._whole(sections, level) for level in self._levels)
        bodies = next((found for found in whole if found is not None), None) or self._thinned(sections, keep or {})
        lines = (line for body in bodies for line in self._pen.framed(body.section, body.lines))
        text = self._pen.marked("\n".join(lines))
        parts = tuple(dict.fromkeys(section.part for section in sections))
        return Evidence(
            text=text.encode("utf-8", "replace").decode(),
            parts=parts,
            missing=tuple(part for part in parts if part in self._missing),
            cut=_cut(bodies),
        )

    def least(self, sections: Sequence[Section]) -> int:
        """How many characters of them are shown in any case."""
        return sum(self._frame(section) + self._least(section) for section in sections)

    def _least(self, section: Section) -> int:
        written = 0
        for line in self._pen.lines(section.content, self._levels[-1]):
            written += length([line.text])
            if section.entries and written > _LEAST_LIST:
                return _LEAST_LIST
        return written

    def _frame(self, section: Section) -> int:
        return length(self._pen.framed(section, ()))

    def _whole(self, sections: Sequence[Section], level: int) -> list[_Body] | None:
        """All of them with texts of that length; None as soon as that is too long."""
        room = self.max_characters - sum(map(self._frame, sections))
        bodies: list[_Body] = []
        for section in sections:
            lines: list[Line] = []
            for line in self._pen.lines(section.content, level):
                room -= length([line.text])
                if room < 0:
                    return None
                lines.append(line)
            bodies.append(_body(section, lines))
        return bodies

    def _thinned(self, sections: Sequence[Section], keep: Mapping[str, frozenset[int]]) -> list[_Body]:
        """All of them with the shortest texts, and without the middle of their lists."""
        bodies = [_body(section, list(self._pen.lines(section.content, self._levels[-1]))) for section in sections]
        lengths = [length(body.lines) for body in bodies]
        lists = [size for size, section in zip(lengths, sections, strict=True) if section.entries]
        room = self.max_characters - sum(map(self._frame, sections)) - (sum(lengths) - sum(lists))
        most = fair(lists, room)
        return [
            self._thin(body, most, keep.get(body.section.part, frozenset()))
            if body.section.entries and size > most
            else body
            for body, size in zip(bodies, lengths, strict=True)
        ]

    def _thin(self, body: _Body, most: int, keep: frozenset[int]) -> _Body:
        """The lines that matter most, in their order, and how many stood where some are missing."""
        count = len(body.lines)
        gap = length([self._pen.gap(count)])
        sizes = [length([line]) for line in body.lines]
        chosen = weightiest(body.section.entries, sizes, room=most, gap=gap, keep=keep)
        lines: list[str] = []
        for is_shown, places in groupby(range(count), chosen.__contains__):
            at = list(places)
            lines += [body.lines[place] for place in at] if is_shown else [self._pen.gap(len(at))]
        return body._replace(lines=lines, entries=count - len(chosen))


def _body(section: Section, lines: Sequence[Line]) -> _Body:
    return _Body(section, [line.text for line in lines], characters=sum(line.left_out for line in lines))


def _cut(bodies: Sequence[_Body]) -> JsonObject:
    """What was left out: characters of single texts and entries of lists, by part."""
    characters: Counter[str] = Counter()
    entries: Counter[str] = Counter()
    for body in bodies:
        characters[body.section.part] += body.characters
        entries[body.section.part] += body.entries
    both = {"characters": +characters, "entries": +entries}
    return {what: dict(counts) for what, counts in both.items() if counts}

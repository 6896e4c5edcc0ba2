"""The evidence that a judge sees of a run: chosen parts, marked as data, and cut if they are too long.

The same run always gives the same text, which is part of the key under which answers are cached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Final, NamedTuple, TypeAlias

from ..model import AgentTrace, JsonObject
from .evidence_parts import PARTS, Content
from .rendering import EvidenceWriter, Line, Section, length
from .truncation import fair, weightiest

__all__ = ["MAX_CHARACTERS", "Evidence", "EvidenceLayout", "Given", "evidence", "evidence_of", "sections_of"]

Given: TypeAlias = AgentTrace | Sequence[AgentTrace]
"""A run, or the turns of a conversation, oldest first."""

MAX_CHARACTERS: Final = 60_000
_TEXT_CHARACTERS: Final = (8_000, 2_000, 500)
"""The limits of a single text, tried in this order until everything fits."""

_LEAST_LIST: Final = 500
"""The characters of a list that are always shown, if it has that many."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The `text` that a judge sees. `cut` counts what was left out; `missing` names the parts that are not recorded."""

    text: str
    parts: tuple[str, ...]
    missing: tuple[str, ...] = ()
    cut: JsonObject = field(default_factory=dict)

    @property
    def details(self) -> JsonObject:
        """The details of a score about its evidence, under the key `evidence`."""
        summary: JsonObject = {"parts": list(self.parts), "cut": self.cut}
        return {"evidence": summary | ({"not_recorded": list(self.missing)} if self.missing else {})}


def evidence(
    given: Given,
    parts: Sequence[str],
    *,
    more: Mapping[str, Content] | None = None,
    max_characters: int = MAX_CHARACTERS,
    text_characters: int | None = None,
) -> Evidence:
    """Return these parts of a run, or of each turn of a conversation, followed by the sections of `more`.

    If they exceed `max_characters`, texts lose their middle, then lists lose entries from theirs: the beginning, the
    end and errors stay. A conversation that still does not fit loses whole turns from its middle; the first and the
    last stay. `text_characters` limits every single text.
    """
    others = [Section(name, content) for name, content in (more or {}).items()]
    if isinstance(given, AgentTrace):
        sections = [*sections_of(given, parts), *others]
        return EvidenceLayout(sections, max_characters=max_characters, text_characters=text_characters).render(sections)
    turns = [sections_of(run, parts, turn=number) for number, run in enumerate(given, 1)]
    layout = EvidenceLayout([*chain(*turns), *others], max_characters=max_characters, text_characters=text_characters)
    return replace(_of_turns(layout, turns, others), parts=(*parts, *(more or {})))


def evidence_of(sections: Sequence[tuple[str, Content]]) -> Evidence:
    """Return evidence of other sections than parts of a run, such as a tool definition: pairs (name, content)."""
    named_sections = [Section(name, content) for name, content in sections]
    return EvidenceLayout(named_sections).render(named_sections)


def sections_of(run: AgentTrace, parts: Sequence[str], *, turn: int | None = None) -> list[Section]:
    """Return these parts of a run as sections; `turn` is its number in a conversation."""
    return [Section(part, PARTS[part](run), turn) for part in parts]


def _of_turns(layout: EvidenceLayout, turns: Sequence[Sequence[Section]], others: Sequence[Section]) -> Evidence:
    """Return evidence of as many turns as fit, from both ends, followed by `others`."""
    sizes = [layout.least(turn) for turn in turns]
    room = layout.max_characters - layout.least(others)
    if len(turns) <= 2 or sum(sizes) <= room:
        return layout.render([*chain(*turns), *others])
    chosen = _within(sizes, room - layout.least([_note(len(turns))]))
    left_out = len(turns) - len(chosen)
    rendered = layout.render([*chain(*(turns[at] for at in sorted(chosen))), _note(left_out), *others])
    return replace(rendered, cut=rendered.cut | {"turns": left_out})


def _note(turns: int) -> Section:
    return Section("turns left out of the middle", str(turns))


def _within(sizes: Sequence[int], room: int) -> set[int]:
    """Return as many positions as fit, from both ends in turn; always the first and the last."""
    chosen: set[int] = set()
    for at in sorted(range(len(sizes)), key=lambda at: min(at, len(sizes) - 1 - at)):
        room -= sizes[at]
        if room < 0 and len(chosen) > 1:
            break
        chosen.add(at)
    return chosen


class _Body(NamedTuple):
    """The lines of a section, and how many characters and entries were left out."""

    section: Section
    lines: list[str]
    characters: int = 0
    entries: int = 0


class EvidenceLayout:
    """Renders any subset of `sections`; each entry is written once and reused."""

    def __init__(
        self, sections: Sequence[Section], *, max_characters: int = MAX_CHARACTERS, text_characters: int | None = None
    ) -> None:
        self.max_characters = max_characters
        self._writer = EvidenceWriter(sections)
        self._levels = _TEXT_CHARACTERS if text_characters is None else (text_characters,)
        recorded = {section.part for section in sections if section.content is not None}
        self._missing = {section.part for section in sections} - recorded

    def render(self, sections: Sequence[Section], *, keep: Mapping[str, frozenset[int]] | None = None) -> Evidence:
        """Return evidence of these sections, within the limit. `keep`: entries never left out, as {part: positions}."""
        whole = (self._whole(sections, level) for level in self._levels)
        bodies = next((bodies for bodies in whole if bodies is not None), None) or self._thinned(sections, keep or {})
        lines = (line for body in bodies for line in self._writer.framed(body.section, body.lines))
        text = self._writer.marked("\n".join(lines))
        parts = tuple(dict.fromkeys(section.part for section in sections))
        return Evidence(
            text=text.encode("utf-8", "replace").decode(),
            parts=parts,
            missing=tuple(part for part in parts if part in self._missing),
            cut=_cut_counts(bodies),
        )

    def least(self, sections: Sequence[Section]) -> int:
        """Return the fewest characters that these sections can be cut to."""
        return sum(self._frame(section) + self._least(section) for section in sections)

    def _least(self, section: Section) -> int:
        written = 0
        for line in self._writer.lines(section.content, self._levels[-1]):
            written += length([line.text])
            if section.entries and written > _LEAST_LIST:
                return _LEAST_LIST
        return written

    def _frame(self, section: Section) -> int:
        return length(self._writer.framed(section, ()))

    def _whole(self, sections: Sequence[Section], level: int) -> list[_Body] | None:
        """Return all sections with texts of at most `level` characters; None if that does not fit."""
        room = self.max_characters - sum(map(self._frame, sections))
        bodies: list[_Body] = []
        for section in sections:
            lines: list[Line] = []
            for line in self._writer.lines(section.content, level):
                room -= length([line.text])
                if room < 0:
                    return None
                lines.append(line)
            bodies.append(_body(section, lines))
        return bodies

    def _thinned(self, sections: Sequence[Section], keep: Mapping[str, frozenset[int]]) -> list[_Body]:
        """Return all sections with texts cut to the lowest level, and long lists without their middle."""
        bodies = [_body(section, list(self._writer.lines(section.content, self._levels[-1]))) for section in sections]
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
        """Return the body with the lines that matter most, in their order, and a line that counts those left out."""
        count = len(body.lines)
        gap = length([self._writer.gap(count)])
        sizes = [length([line]) for line in body.lines]
        chosen = weightiest(body.section.entries, sizes, room=most, gap=gap, keep=keep)
        lines: list[str] = []
        for is_shown, places in groupby(range(count), chosen.__contains__):
            at = list(places)
            lines += [body.lines[place] for place in at] if is_shown else [self._writer.gap(len(at))]
        return body._replace(lines=lines, entries=count - len(chosen))


def _body(section: Section, lines: Sequence[Line]) -> _Body:
    return _Body(section, [line.text for line in lines], characters=sum(line.left_out for line in lines))


def _cut_counts(bodies: Sequence[_Body]) -> JsonObject:
    """Return what was left out, as {"characters" or "entries": {part: count}}."""
    characters: Counter[str] = Counter()
    entries: Counter[str] = Counter()
    for body in bodies:
        characters[body.section.part] += body.characters
        entries[body.section.part] += body.entries
    both = {"characters": +characters, "entries": +entries}
    return {unit: dict(counts) for unit, counts in both.items() if counts}

"""What must hold while attackers are at work and after them, and the table that says whether it did."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .gauge import Held
from .kept import Kept
from .neighbour import PHASES, Phase, Sent

__all__ = ["Must", "Outcome", "lines"]

MOST_TO_SCORE_S: Final = 15.0
_SLACK: Final = 12
"""Threads of pools that are made when they are first needed, and connections of the honest ones."""

_TIMES_SLOWER, _SLOWER_S = 1.5, 1.0
"""What may be slower when nobody attacks any more: the machine has other work, and the store has grown."""

_MB: Final = 2**20
_IS_OURS: Final = re.compile(r": 50[02]\b")
_TITLE, _COLUMN = 38, 14
_SHOWN = 120
"""Characters of a refusal."""


@dataclass(frozen=True, slots=True)
class Must:
    """One line of the table: what was found, and what was wanted."""

    title: str
    found: str
    wanted: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. `stopped_with` is None where the server had ended before it was told to, or did not stop;
    `kept` where its store could not be opened any more."""

    confined_by: str
    memory_bytes: int
    peak_bytes: int
    kills: int
    stopped_with: int | None
    exports: Sequence[Sent]
    queries: Sequence[Sent]
    met: Mapping[str, int]
    turns_kept: int
    held_before: Held
    held_after: Held | None
    kept: Kept | None

    @property
    def musts(self) -> Sequence[Must]:
        """All that must hold."""
        return [*self._for_the_sender(), *self._for_the_server(), *self._afterwards(), *self._as_before()]

    def seconds(self, what: str, phase: Phase) -> Sequence[float]:
        """How long something took in a phase: `export`, `query`, or `to score`. Infinite where it was refused."""
        if what == "to score":
            taken = {} if self.kept is None else self.kept.to_score_s
            return [taken.get(one.trace_id, math.inf) for one in self.exports if one.phase == phase]
        sent = self.exports if what == "export" else self.queries
        return [math.inf if one.refusal else one.took_s for one in sent if one.phase == phase]

    def _for_the_sender(self) -> Iterator[Must]:
        yield _none("the quiet sender's exports refused", [one for one in self.exports if one.refusal])
        p95 = _p95(self.seconds("to score", "during"))
        wanted = f"< {MOST_TO_SCORE_S:g} s"
        yield Must("its p95 to score, while attacked", f"{p95:.1f} s", wanted, p95 < MOST_TO_SCORE_S)
        yield _none("its runs lost", range(self.kept.lost if self.kept else len(self.exports)))
        yield _none("its spans or scores doubled", range(self.kept.doubled if self.kept else 0))

    def _for_the_server(self) -> Iterator[Must]:
        mb, most = self.peak_bytes / _MB, self.memory_bytes / _MB
        yield Must("peak memory of all its processes", f"{mb:,.0f} MB", f"< {most:,.0f} MB", mb < most)
        yield _none("processes ended by the kernel", range(self.kills))
        failures = [name for name, count in self.met.items() if _IS_OURS.search(name) for _ in range(count)]
        yield _none("answers that were errors of ours", failures)
        told = "nothing" if self.stopped_with is None else str(self.stopped_with)
        yield Must("told to stop, it ended with", told, "0", self.stopped_with == 0)

    def _afterwards(self) -> Iterator[Must]:
        yield _none("findings of the ledger audit", self.kept.findings if self.kept else ["it cannot be opened"])
        yield _none("scores under names that act", range(self.kept.forged_names if self.kept else 0))
        yield _none("turns of queries not given back", range(self.turns_kept))
        more = self.held_after.beyond(self.held_before, slack=_SLACK) if self.held_after else {"server": 0}
        found = ", ".join(f"{count} {name}" for name, count in more.items()) or "none"
        yield Must("held beyond what it held before", found, "none", not more)

    def _as_before(self) -> Iterator[Must]:
        for what in ("export", "query", "to score"):
            before, after = (_median(self.seconds(what, phase)) for phase in ("before", "after"))
            most = _TIMES_SLOWER * before + _SLOWER_S
            yield Must(f"{what}, attackers gone for a minute", f"{after:.2f} s", f"< {most:.2f} s", after < most)


def lines(outcome: Outcome) -> Iterator[str]:
    """The table: how long things took in each phase, what attackers met, and what must hold."""
    yield _line("median, p95 in s", PHASES)
    for what in ("export", "query", "to score"):
        spans = [outcome.seconds(what, phase) for phase in PHASES]
        yield _line(what, [f"{_median(took):.2f}, {_p95(took):.2f}" for took in spans])
    for name, sent in (("exports refused", outcome.exports), ("queries refused", outcome.queries)):
        yield _line(name, [_share([one for one in sent if one.phase == phase]) for phase in PHASES])
    for refusal, count in Counter(one.refusal[:_SHOWN] for one in outcome.queries if one.refusal).most_common():
        yield f"  {refusal}".ljust(_TITLE) + f"{count:,}".rjust(_COLUMN)
    yield ""
    yield "attackers met"
    for answer, count in sorted(outcome.met.items()):
        yield f"  {answer}".ljust(_TITLE) + f"{count:,}".rjust(_COLUMN)
    yield ""
    yield _line(f"must hold ({outcome.confined_by})", ["found", "wanted"])
    for must in outcome.musts:
        yield _line(must.title, [must.found, must.wanted]) + ("" if must.holds else "   <--")


def _none(title: str, found: Sequence[object]) -> Must:
    return Must(title, f"{len(found):,}", "0", not found)


def _share(sent: Sequence[Sent]) -> str:
    return f"{sum(one.refusal is not None for one in sent)} of {len(sent)}"


def _median(took: Sequence[float]) -> float:
    return statistics.median(took) if took else math.inf


def _p95(took: Sequence[float]) -> float:
    return sorted(took)[math.ceil(0.95 * len(took)) - 1] if took else math.inf


def _line(title: str, cells: Sequence[str]) -> str:
    return title.ljust(_TITLE) + "".join(cell.rjust(_COLUMN) for cell in cells)

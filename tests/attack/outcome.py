"""What must hold while attackers are at work and after them, and the table that says whether it did."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from .attacker import OURS, THROUGH, Met
from .gauge import Held
from .kept import Kept
from .neighbour import DEEDS, PHASES, Deed, Phase, Sent

__all__ = ["Must", "Outcome", "lines"]

Measured: TypeAlias = Deed | Literal["to score"]

MOST_TO_SCORE_S, MOST_OF_PAGE_S, MOST_OF_READYZ_S = 15.0, 3.0, 1.0
_SLACK: Final = 24
"""Threads of pools that are made when they are first needed, and connections of the honest ones."""

_TIMES_SLOWER, _SLOWER_S = 1.5, 1.0
"""What may be slower when nobody attacks any more: the machine has other work, and the store has grown."""

_SLOWER: Final[Sequence[Measured]] = ("export", "query", "page", "to score")
_MB: Final = 2**20
_TRACEBACK: Final = "traceback"
_NO_ANSWER: Final = ("no answer", "not taken")
_LATE: Final = "ReadTimeout"
_TITLE, _COLUMN = 38, 14
_TO_SCORE: Final = "to score"
_MEASURED: Final[Sequence[Measured]] = (*DEEDS, _TO_SCORE)
_SHOWN, _MOST_REFUSALS = 120, 20
"""Characters of a refusal; and how many kinds of them are shown."""


@dataclass(frozen=True, slots=True)
class Must:
    """One line of the table: what was found, and what was wanted. `is_time`: it depends on the speed of the machine."""

    title: str
    found: str
    wanted: str
    holds: bool
    is_time: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. `stopped_with` is None where the server had ended before it was told to, or did not stop;
    `kept` where its store could not be opened any more."""

    confined_by: str
    memory_bytes: int
    peak_bytes: int
    kills: int
    stopped_with: int | None
    sent: Sequence[Sent]
    met: Mapping[str, Met]
    turns_kept: Sequence[str]
    files_left: Sequence[str]
    held_before: Held
    held_after: Held | None
    kept: Kept | None

    @property
    def musts(self) -> Sequence[Must]:
        """All that must hold."""
        return [
            *self._for_the_sender(),
            *self._for_the_viewer(),
            *self._for_the_server(),
            *self._for_the_attackers(),
            *self._afterwards(),
            *self._as_before(),
        ]

    def of(self, deed: Deed) -> Sequence[Sent]:
        """Return the requests of honest ones of this kind."""
        return [each for each in self.sent if each.deed == deed]

    def seconds(self, what: Measured, phase: Phase) -> Sequence[float]:
        """How long something took in a phase. Infinite where it was refused."""
        if what == _TO_SCORE:
            taken = {} if self.kept is None else self.kept.to_score_s
            return [taken.get(each.trace_id, math.inf) for each in self.of("export") if each.phase == phase]
        return [math.inf if each.refusal else each.took_s for each in self.of(what) if each.phase == phase]

    def _for_the_sender(self) -> Iterator[Must]:
        exports = self.of("export")
        refused = [each for each in exports if each.refusal]
        are_late = all(each.refusal == _LATE for each in refused)
        yield replace(_none("the quiet sender's exports refused", refused), is_time=are_late)
        yield _below("its p95 to score", _p95(self.seconds(_TO_SCORE, "during")), MOST_TO_SCORE_S)
        yield _none("its runs lost", range(self.kept.lost if self.kept else len(exports)))
        yield _none("its spans or scores doubled", range(self.kept.doubled if self.kept else 0))

    def _for_the_viewer(self) -> Iterator[Must]:
        yield _below("the viewer's p95 of a page", _p95(self.seconds("page", "during")), MOST_OF_PAGE_S)
        yield _below("its p95 of a login", _p95(self.seconds("login", "during")), MOST_OF_PAGE_S)
        slowest = max((took for phase in PHASES for took in self.seconds("readyz", phase)), default=math.inf)
        yield _below("the slowest answer of /readyz", slowest, MOST_OF_READYZ_S)

    def _for_the_server(self) -> Iterator[Must]:
        mb, most = self.peak_bytes / _MB, self.memory_bytes / _MB
        yield Must("peak memory of all its processes", f"{mb:,.0f} MB", f"< {most:,.0f} MB", mb < most)
        yield _none("processes ended by the kernel", range(self.kills))
        yield _none("answers that were errors of ours", range(sum(map(_count_errors_of_ours, self.met.values()))))
        told = "nothing" if self.stopped_with is None else str(self.stopped_with)
        yield Must("told to stop, it ended with", told, "0", self.stopped_with == 0)

    def _for_the_attackers(self) -> Iterator[Must]:
        through = [answer for met in self.met.values() for answer in met.answers if answer.endswith(THROUGH)]
        yield _none("kinds of attacks that got through", through)
        idle = [name for name, met in self.met.items() if not met.answers]
        yield _none("attackers that met nobody", idle if self.met else ["all of them"])

    def _afterwards(self) -> Iterator[Must]:
        yield _none("findings of the ledger audit", self.kept.findings if self.kept else ["it cannot be opened"])
        yield _none("scores under names that act", range(self.kept.forged_names if self.kept else 0))
        yield _none("costs kept as attackers sent them", range(self.kept.planted_costs if self.kept else 0))
        yield _none("turns not given back", self.turns_kept)
        yield _none("files left behind", self.files_left)
        more = self.held_after.beyond(self.held_before, slack=_SLACK) if self.held_after else {"server": 0}
        found = ", ".join(f"{count} {name}" for name, count in more.items()) or "none"
        yield Must("held beyond what it held before", found, "none", not more)

    def _as_before(self) -> Iterator[Must]:
        for what in _SLOWER:
            before, after = (_median(self.seconds(what, phase)) for phase in ("before", "after"))
            yield _below(f"{what}, attackers gone", after, _TIMES_SLOWER * before + _SLOWER_S)


def lines(outcome: Outcome) -> Iterator[str]:
    """The table: how long things took in each phase, what attackers met, and what must hold."""
    yield _line("median, p95 in s", PHASES)
    for what in _MEASURED:
        spans = [outcome.seconds(what, phase) for phase in PHASES]
        yield _line(what, [f"{_median(took):.2f}, {_p95(took):.2f}" for took in spans])
    yield _line("refused", PHASES)
    for deed in DEEDS:
        yield _line(deed, [_share([each for each in outcome.of(deed) if each.phase == phase]) for phase in PHASES])
    refusals = Counter(f"{each.deed}: {each.refusal[:_SHOWN]}" for each in outcome.sent if each.refusal)
    for refusal, count in refusals.most_common(_MOST_REFUSALS):
        yield f"{count:>7,}  {refusal}"
    yield ""
    yield _line("attackers met", ["requests", "errors"]) + "  answers"
    for name, met in outcome.met.items():
        errors = _count_errors_of_ours(met) + sum(met.answers[answer] for answer in _NO_ANSWER)
        answers = ", ".join(f"{answer}: {count:,}" for answer, count in sorted(met.answers.items()))
        yield _line(f"  {name}", [f"{met.requests:,}", f"{errors:,}"]) + f"  {answers}"
    yield ""
    for title, left in (("turns not given back", outcome.turns_kept), ("files left behind", outcome.files_left)):
        yield from [f"{title}: {', '.join(left)}"] if left else []
    yield _line(f"must hold ({outcome.confined_by})", ["found", "wanted"])
    for must in outcome.musts:
        yield _line(must.title, [must.found, must.wanted]) + ("" if must.holds else "   <--")


def _count_errors_of_ours(met: Met) -> int:
    return sum(count for answer, count in met.answers.items() if _is_ours(answer))


def _is_ours(answer: str) -> bool:
    return answer.startswith(tuple(map(str, OURS))) or answer.endswith(_TRACEBACK)


def _below(title: str, found_s: float, most_s: float) -> Must:
    return Must(title, f"{found_s:.2f} s", f"< {most_s:.4g} s", found_s < most_s, is_time=True)


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

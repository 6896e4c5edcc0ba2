"""Chooses which entries of long lists are shown."""

from __future__ import annotations

from collections.abc import Sequence

from .evidence_parts import Entry

__all__ = ["fair", "weightiest"]


def fair(lengths: Sequence[int], room: int) -> int:
    """Return the highest limit for each length with which all fit into `room`; short ones leave more for the others."""
    for left, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * left > room:
            return max(0, room // left)
        room -= length
    return room


def weightiest(
    entries: Sequence[Entry], lengths: Sequence[int], *, room: int, gap: int, keep: frozenset[int]
) -> set[int]:
    """Return the positions of the entries that fit into `room`; those of `keep` always stay.

    Entries of `keep` come first, then errors, then the others from both ends to the middle. `gap` is the length of the
    line that counts entries left out: it is needed once for the middle, and once more for each entry kept inside it.
    """
    chosen: set[int] = set()
    room -= gap
    for at in _by_weight(entries, keep):
        room -= lengths[at] + (gap if at in keep or entries[at].is_error else 0)
        if room >= 0 or at in keep:
            chosen.add(at)
    return chosen


def _by_weight(entries: Sequence[Entry], keep: frozenset[int]) -> list[int]:
    count = len(entries)

    def weight(at: int) -> tuple[bool, bool, int]:
        return at not in keep, not entries[at].is_error, min(at, count - 1 - at)

    return sorted(range(count), key=weight)

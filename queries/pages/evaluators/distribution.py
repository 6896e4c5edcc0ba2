"""The distribution of the values of an evaluator: runs by their lowest value, in ten bins. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ...filter import quote
from ..charts.bars import BarChart, Step, lay_out_bars
from ..links import Links
from ..overview.facts import Row

__all__ = ["BINS", "KINDS", "draw_distribution", "write_filter"]

BINS: Final = 10
KINDS: Final[Mapping[str, str]] = {"failing": "✗ failed", "passed": "✓ passed", "not_scored": "○ no threshold"}
"""Kinds of runs from the base of a bar up, with how they are written."""


def draw_distribution(rows: Iterable[Row], name: str, links: Links) -> BarChart:
    """Return the chart of the rows of `runs_by_lowest_value`; each bar leads to its runs."""
    by_bin = {row["bin"]: row for row in rows}
    return lay_out_bars([_make_step(number, by_bin.get(number), name, links) for number in range(BINS)])


def write_filter(number: int, name: str) -> str:
    """Return the filter that selects the runs of a bin: none of their values is lower."""
    score = f"score:{quote(name)}"
    if number == BINS - 1:
        return f"{score}>=0.9 -{score}<0.9"
    return f"{score}<0.{number + 1}" + (f" -{score}<0.{number}" if number else "")


def _make_step(number: int, row: Row | None, name: str, links: Links) -> Step:
    failed, passed, runs = (row["failed"], row["passed"], row["runs"]) if row else (0, 0, 0)
    counts = {"failing": failed, "passed": passed, "not_scored": runs - failed - passed}
    end = "1" if number == BINS - 1 else f"0.{number + 1}"
    label = f"{'0' if number == 0 else f'0.{number}'} to {end}"
    parts = ", ".join(f"{count:,} {KINDS[kind][2:]}" for kind, count in counts.items() if count)
    return Step(label, counts, f"{label}: {parts or 'no runs'}", links.to("runs", q=write_filter(number, name)))

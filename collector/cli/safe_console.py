"""A console that shows text of others and never obeys it, whoever forgot that it is theirs."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from tracegrade.queries.foreign_text import without_controls

__all__ = ["SafeConsole"]


class SafeConsole(Console):
    """rich's console. What it does itself to the terminal are styles and control segments; text has no such effect."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """As rich renders it, each text through `foreign_text`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(without_controls(segment.text), segment.style)

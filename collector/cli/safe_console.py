"""A console that makes all printed text safe for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from tracegrade.queries.foreign_text import without_controls

__all__ = ["SafeConsole"]


class SafeConsole(Console):
    """A console of rich that cleans all text, so that only rich itself can style and control the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Render as rich does, with each text through `foreign_text`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(without_controls(segment.text), segment.style)

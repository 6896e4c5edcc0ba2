"""Messages as Markdown, for readers who ask for it: without HTML, pictures or links, which the agent could forge."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from ...foreign_text import without_controls

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["render_markdown"]

_TAGS: Final = frozenset(
    {
        *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
    }
)


_MOST_CELLS: Final = 1_000
"""The most cells of tables. Each row gets all columns of the first one, so that 4 KB could become 400 KB of HTML."""


def render_markdown(text: str) -> Markup:
    """Return the HTML of a text of an agent, of a few KB at most. Tables that are too large stay text."""
    import nh3  # noqa: PLC0415 - few readers ask for Markdown

    html = _make_renderer(has_tables=_count_cells(text) <= _MOST_CELLS).render(without_controls(text))
    return Markup(nh3.clean(html, tags=set(_TAGS), attributes={}))  # noqa: S704 - cleaned


def _count_cells(text: str) -> int:
    """Return the most cells that the tables of a text can have."""
    lines = text.splitlines()
    return len(lines) * max((line.count("|") for line in lines), default=0)


@cache
def _make_renderer(*, has_tables: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few readers ask for Markdown

    renderer = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", *(["table"] if has_tables else [])])
    forged = ["link", "image", "autolink", "html_inline", "html_block"]
    return renderer.disable([*forged, "entity"])  # `&#8238;` would be a character that nobody sees

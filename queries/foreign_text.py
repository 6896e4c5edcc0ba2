"""Makes foreign text safe to show in a terminal, a report or a log."""

from tracegrade.evaluators.text.foreign_text import (
    escape_json,
    escape_markdown,
    is_shown_whole,
    one_line,
    visible,
    without_controls,
)

__all__ = ["escape_json", "escape_markdown", "is_shown_whole", "one_line", "visible", "without_controls"]

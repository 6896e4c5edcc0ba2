"""The table of dialects in collector/docs/dialects.md, made from the modules; run this module to write it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tracegrade.collector.dialects import DIALECTS
from tracegrade.collector.dialects.shared.dialect import Dialect, Evidence

__all__ = ["PAGE", "render_table", "table_in"]

PAGE = Path(__file__).parents[2] / "collector/docs/dialects.md"
_HEADER = "| dialect | recognised by | records content | proved by |"


def render_table() -> str:
    """The rows of the table, with its header."""
    return "\n".join([_HEADER, "| --- | --- | --- | --- |", *map(_row, DIALECTS)])


def table_in(text: str) -> str:
    """The table as the page has it."""
    start = text.index(_HEADER)
    return text[start : text.index("\n\n", start)]


def _row(dialect: Dialect) -> str:
    content = f"`{dialect.content}`" if dialect.content else "by itself"
    evidence = "; ".join(map(_proof, dialect.evidence))
    return f"| `{dialect.name}` | {'; '.join(_marks(dialect))} | {content} | {evidence} |"


def _marks(dialect: Dialect) -> Iterator[str]:
    if dialect.scopes:
        yield f"scope {_quoted(dialect.scopes)}"
    if dialect.keys:
        yield f"attribute {_quoted(dialect.keys)}"
    if not dialect.scopes and not dialect.keys:
        yield "attributes or events `gen_ai.*`"


def _proof(evidence: Evidence) -> str:
    return f"{evidence.kind} of {evidence.package} {evidence.versions}"


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(table_in(text), render_table()), encoding="utf-8")

"""Removes the Markdown around a message: a heading such as `### Result`, bold type, quotes, a code fence."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ERROR_LABEL", "without_label"]

_FENCE: Final = re.compile(r"```[\w-]{0,20}\n(.*?)\s*```\Z", re.DOTALL)
_RESULT: Final = re.compile(
    r"[\s#*_>]{0,10}(?:(?:tool|call|function|command|execution|action)[ _]){0,2}"
    r"(?:results?|output|response|observation|ergebnis|resultado|résultat|结果|結果)"
    r"[*_ \t]{0,5}(?:[:\uff1a][*_ \t]{0,5}\n?|\n)\s*(?![\s\"{\[])(?=\S)",
    re.IGNORECASE,
)
"""A label that only says that the result follows. What follows in quotes or braces is data."""
_BOLD: Final = re.compile(r"(\*{1,2}|__)(?=[^\s*_])([^*\n]{1,200}?)\1")
_NEXT_SECTION: Final = re.compile(r"\n\s*#{1,6} \S")
ERROR_LABEL: Final = re.compile(
    r"[^\w\n<\[(]{0,10}(?:[a-z]\w{0,19} ){0,2}(?:error|failure|exception)[^\w\n]{0,4}\n\s*", re.IGNORECASE
)
"""A first line that only says that the message of an error follows: `## Error`, `Input Error`."""


def without_label(text: str, *, is_of_reader: bool) -> str:
    """Return the message in `text`.

    Unless the tool returns documents, that is only the first section if the text begins with a heading: browsers add
    the state of the page to each result.
    """
    text = text.strip()
    if text.startswith(">"):
        text = _without_quotes(text)
    if text.startswith("#") and not is_of_reader:
        text = _NEXT_SECTION.split(text, maxsplit=1)[0]
    if label := _RESULT.match(text):
        text = text[label.end() :]
    if text.startswith("```") and (fence := _FENCE.match(text)):
        text = fence[1].strip()
    first, newline, rest = text.partition("\n")
    return _BOLD.sub(r"\2", first) + newline + rest


def _without_quotes(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(line[1:].lstrip() for line in lines) if all(line.startswith(">") for line in lines) else text

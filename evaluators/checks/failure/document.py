"""Recognises documents that begin like an error message: a runbook, an article, a summary."""

from __future__ import annotations

import re
from typing import Final

from .label import ERROR_LABEL

__all__ = ["is_document", "sentences"]

_MOST_SENTENCES: Final = 3
_MOST_SENTENCES_OF_READERS: Final = 2
_FEWEST_WORDS: Final = 4
_FEWEST_WIDE_LETTERS: Final = 12

_END: Final = re.compile(r"(?<=[.!?])[\"')]?\s+(?=[^\W_a-zß-ÿ])|(?<=[。\uff01\uff1f])\s*|\n\s*\n")
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n\s*")
_STEPS: Final = re.compile(r"(?:^|[\n.:])\s*1[.)]\s+\S[^\n]{0,300}(?:\n\s*|[.;]\s+)2[.)]\s+\S")
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_FRAME: Final = re.compile(r"^\s*(?:at \S+|File \"|Traceback |\.{3} \d+ more|Caused by:)", re.MULTILINE)
_ADVICE: Final = re.compile(
    r"(?:please|try|hint|note|tip|details?|usage|example|available|did you mean|for (?:more|further)|see|read|stack"
    r"|trace|check|make sure|ensure|use|response|request"
    r"|if (?:you|the|this)|you (?:can|may|must|should|need)"
    r"|bitte|veuillez|por favor|intente|tente|contact|the (?:requested|server)"
    r"|reason|status|code|data|call log|input|output|\W)",
    re.IGNORECASE,
)
"""How further sentences of an error message begin: advice to the caller, and labelled details."""


def is_document(text: str, *, is_of_reader: bool) -> bool:
    """Return whether more prose follows the first sentence than an error message has.

    That is prose after a blank line, numbered steps, or many sentences. Stack frames and data are not prose.
    """
    text = text.strip()
    label = ERROR_LABEL.match(text)
    text = text[label.end() :] if label else text
    if _FRAME.search(text):
        return False
    if is_of_reader and _STEPS.search(text):
        return True
    first, *others = _BLANK_LINE.split(text)
    below_label = [first] if label and is_of_reader else []
    if any(map(_is_prose, (*below_label, *others))):
        return True
    most = _MOST_SENTENCES_OF_READERS if is_of_reader else _MOST_SENTENCES
    _, *rest = sentences(text)
    return 1 + sum(map(_is_whole, rest)) > most


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`, at least one."""
    return [sentence for sentence in _END.split(text.strip()) if sentence] or [""]


def _is_prose(paragraph: str) -> bool:
    """Return whether a paragraph has two sentences or more and is not advice to the caller."""
    if _ADVICE.match(paragraph):
        return False
    return sum(map(_has_words, sentences(paragraph))) > 1


def _is_whole(sentence: str) -> bool:
    return _has_words(sentence) and not _ADVICE.match(sentence)


def _has_words(sentence: str) -> bool:
    if "{" in sentence or "<" in sentence:
        return False
    return len(sentence.split()) >= _FEWEST_WORDS or len(_WIDE.findall(sentence)) >= _FEWEST_WIDE_LETTERS

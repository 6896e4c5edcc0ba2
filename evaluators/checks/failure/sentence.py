"""Plain sentences about failures, such as "The server did not respond in time.", in the languages of users."""

from __future__ import annotations

import re
from typing import Final

from .document import sentences
from .label import without_label
from .shipped import read_patterns, read_words
from .text import BEFORE_SENTENCE, TextFailure, error_name, is_count

__all__ = ["read_sentence"]

_LONGEST_SENTENCES: Final = 300
_MOST_SENTENCES: Final = 2
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_STEMS: Final = tuple(
    sorted(
        word.replace("_", " ") for group in read_words(__package__, "sentence_stems.toml").values() for word in group
    )
)
_PREDICATE_END: Final = re.compile(
    r"\s*(?:$|[.,;:!?()\[\u2013\u2014-]|[。\uff0c\uff01、])"
    r"|\s+(?:by|because|due|at|for|after|while|in|on|from|with|and|as|since|to|until|right"
    r"|now|currently|today|again|please|this|temporarily|via|von|vom|durch|wegen|bei|für|bitte|und|zum|zur|por|para|debido|en"
    r"|y|al|de|del|par|pour|car|en raison|et|sur|pelo|pela|e|no|na|ao|your|the|you|any|it|its|all)\b"
)
"""What may follow the predicate of a sentence about a failure; not a noun, as in "Connection closed deals"."""

_HISTORY: Final = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}[./]|\b(?:last|ago|yesterday|twice|once|never|always|usually|if|unless|would"
    r"|gestern|letzt\w*|ayer|pasad[oa]|hier|ontem|passad[oa]|wenn|cuando|quando|lorsque|hace|il y a)\b"
    r"|\bon \d{1,2} \w+|\bon (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|\bwhenever\b",
    re.IGNORECASE,
)
"""Words that make a sentence a statement about the past, or about a rule."""

_WENT_WELL: Final = re.compile(
    r"\bsucce(?:ss|eded)|\b(?:resolved|restored|recovered)\b|\bback (?:up|online)\b"
    r"|\bbut (?:it )?(?:worked|went through)\b"
    r"|erfolgreich|behoben|éxito|resuelto|succès|résolu|sucesso|resolvid"
    r"|成功しました|復旧|已恢复|重试成功",
    re.IGNORECASE,
)
"""Phrases by which a text says that the work was done in the end."""


def read_sentence(text: str) -> TextFailure | None:
    """Return the failure that a result of one or two short sentences describes; None if it describes none.

    "The server did not respond in time." has no mark of an error message, and occurs in documents and reports, too. So
    this is for tools whose results are neither.
    """
    text = without_label(text, is_of_reader=False)
    if len(text) > _LONGEST_SENTENCES or "\n" in text or is_count(text):
        return None
    lowered = f" {text.lower()} "
    if not any(stem in lowered for stem in _STEMS):
        return None
    failure = read_patterns(__package__, "sentences", before=BEFORE_SENTENCE).match(text)
    if failure is None or not _ends_predicate(text, failure.end()) or _WENT_WELL.search(text):
        return None
    first, *rest = sentences(text)
    if len(rest) >= _MOST_SENTENCES or _HISTORY.search(first):
        return None
    return TextFailure("error_text", error_name(text))


def _ends_predicate(text: str, end: int) -> bool:
    return _WIDE.match(text, end - 1) is not None or _PREDICATE_END.match(text, end) is not None

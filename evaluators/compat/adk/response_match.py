"""How many words does the final response share with the expected one?"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ...definition.registry import Options, evaluator
from ...model import AgentTrace, Score
from ..overlap import Overlap

__all__ = ["ResponseMatch", "stem", "tokens"]

_BY_CHARACTER: Final = ((0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF))
"""Chinese, Japanese and Korean: each character is a token."""

_BY_CLUSTER: Final = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
"""Thai, Lao, Burmese and Khmer: each character with the marks on it is a token."""

_SHORT: Final = 3
"""Tokens of at most so many characters are not stemmed."""


@evaluator(
    "adk:response_match_score",
    version=1,
    source="google-adk 2.13.0 RougeEvaluator (response_match_score), rouge-score 0.1.2, the Porter stemmer of NLTK 3.9",
    reads=("final_response", "reference.expected_response"),
    skipped_when="no reference says which response was expected; the final response was not recorded",
    threshold=0.8,
)
class ResponseMatch(Options):
    """ROUGE-1 of the final response and the expected one: F1 of their words, each as often as it occurs, in any order.

    Words are compared in lower case and, if they have more than three letters and these are English, without their
    endings, by Porter's algorithm. Other scripts count by words or, where they are written without spaces, by
    characters. A text without words scores 0. One run is one invocation.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        expected = None if trace.reference is None else trace.reference.expected_response
        if expected is None:
            return Score.skip("no reference says which response was expected")
        if trace.final_response is None:
            return Score.skip("the final response was not recorded")
        actual_words, expected_words = tokens(trace.final_response), tokens(expected)
        matched = (Counter(actual_words) & Counter(expected_words)).total()
        overlap = Overlap(matched, len(actual_words), len(expected_words))
        return Score(
            value=overlap.f1,
            explanation=f"{matched} of the {len(actual_words)} words of the response are among the "
            f"{len(expected_words)} expected ones",
            details={"precision": overlap.precision, "recall": overlap.recall},
        )


def tokens(text: str) -> list[str]:
    """Return the tokens of a text as ROUGE compares them."""
    words = "".join(map(_spaced, unicodedata.normalize("NFKC", text).lower())).split()
    return [stem(word) if word.isascii() and len(word) > _SHORT else word for word in words]


def _spaced(character: str) -> str:
    """Return a character with spaces where a token begins or ends; a space for one that belongs to no token."""
    if _is_in(character, _BY_CHARACTER):
        return f" {character} "
    is_mark = unicodedata.category(character).startswith("M")
    if _is_in(character, _BY_CLUSTER):
        return character if is_mark else f" {character}"
    return character if is_mark or character.isalnum() else " "


def _is_in(character: str, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= ord(character) <= last for first, last in ranges)


class _Ending(NamedTuple):
    """An ending, what replaces it, and whether it is replaced, by the stem that remains without it."""

    ending: str
    replacement: str
    is_replaced: Callable[[str], bool]


_IRREGULAR: Final = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{word: word for word in ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}


def stem(word: str) -> str:
    """Return an English word in lower case without its endings.

    Source: M. F. Porter, An algorithm for suffix stripping, 1980 (https://tartarus.org/martin/PorterStemmer/), with the
    departures that NLTK lists: irregular words, short words in -ies and -ied, -y after a consonant, -fulli and -logi.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_plural, _past, _final_y, _double_suffix, _suffix, _last_suffix, _final_e, _final_ll):
        word = step(word)
    return word


def _form(word: str) -> str:
    """Return `c` for each consonant and `v` for each vowel; `y` is a vowel after a consonant."""
    form = ""
    for letter in word:
        form += "v" if letter in "aeiou" or (letter == "y" and form.endswith("c")) else "c"
    return form


def _measure(word: str) -> int:
    """Return how many vowels are followed by a consonant."""
    return _form(word).count("vc")


def _has_measure(word: str) -> bool:
    return _measure(word) > 0


def _is_long(word: str) -> bool:
    return _measure(word) > 1


def _ends_short(word: str) -> bool:
    """Return whether a word ends in consonant, vowel and a consonant but w, x and y, or is vowel and consonant."""
    form = _form(word)
    return (form.endswith("cvc") and word[-1] not in "wxy") or form == "vc"


def _is_doubled(word: str) -> bool:
    return len(word) >= 2 and word[-1] == word[-2] and _form(word).endswith("c")


def _replaced(word: str, endings: Sequence[_Ending]) -> str:
    """Return the word with the first of the endings that it has replaced, if that one is to be replaced."""
    for ending, replacement, is_replaced in endings:
        if word.endswith(ending):
            rest = word.removesuffix(ending)
            return rest + replacement if is_replaced(rest) else word
    return word


def _always(_: str) -> bool:
    return True


def _endings(pairs: str, is_replaced: Callable[[str], bool]) -> tuple[_Ending, ...]:
    """Return the endings that a text lists as `ending:replacement`."""
    split = (pair.partition(":") for pair in pairs.split())
    return tuple(_Ending(ending, replacement, is_replaced) for ending, _, replacement in split)


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word.removesuffix("s")
    return _replaced(word, _endings("sses:ss ies:i ss:ss s:", _always))


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word.removesuffix("d" if len(word) == 4 else "ed")
    if word.endswith("eed"):
        return word.removesuffix("d") if _has_measure(word.removesuffix("eed")) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if word.endswith(ending) and "v" in _form(rest):
            return _completed(rest)
    return word


def _completed(word: str) -> str:
    """Return a stem without -ed or -ing as it is written by itself: `hope` for `hop(ing)`, `hop` for `hopp(ing)`."""
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    if _is_doubled(word):
        return word if word[-1] in "lsz" else word[:-1]
    return f"{word}e" if _measure(word) == 1 and _ends_short(word) else word


def _final_y(word: str) -> str:
    rest = word.removesuffix("y")
    is_replaced = word.endswith("y") and len(rest) > 1 and _form(rest).endswith("c")
    return f"{rest}i" if is_replaced else word


_DOUBLE: Final = (
    *_endings(
        "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
        "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful",
        _has_measure,
    ),
    _Ending("logi", "log", lambda rest: _has_measure(f"{rest}l")),
)


def _double_suffix(word: str) -> str:
    while word.endswith("alli") and _has_measure(word.removesuffix("alli")):
        word = word.removesuffix("li")
    return _replaced(word, _DOUBLE)


_SINGLE: Final = _endings("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:", _has_measure)


def _suffix(word: str) -> str:
    return _replaced(word, _SINGLE)


_LAST: Final = (
    *_endings("al: ance: ence: er: ic: able: ible: ant: ement: ment: ent:", _is_long),
    _Ending("ion", "", lambda rest: _is_long(rest) and rest[-1] in "st"),
    *_endings("ou: ism: ate: iti: ous: ive: ize:", _is_long),
)


def _last_suffix(word: str) -> str:
    return _replaced(word, _LAST)


def _final_e(word: str) -> str:
    rest = word.removesuffix("e")
    is_removed = word.endswith("e") and (_is_long(rest) or (_measure(rest) == 1 and not _ends_short(rest)))
    return rest if is_removed else word


def _final_ll(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _is_long(word[:-1]) else word

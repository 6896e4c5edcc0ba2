"""Results that say that nothing was found, as text or as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..failure.shipped import read_patterns
from ..failure.tool_kind import words

__all__ = ["has_nothing", "says_nothing"]

_COUNT_KEYS: Final = (
    "total count totalcount totalresults numresults resultcount resultscount numberofresults totalhits nbhits numfound "
    "totalitems totalrecords recordcount matches hits found n"
)
_COUNTS: Final = frozenset(_COUNT_KEYS.split())
_OF_SEARCHES: Final = (
    "search query queries request params parameters meta metadata pagination paging page info information shards usage "
    "credits debug stats"
)
_ABOUT_SEARCH: Final = frozenset(_OF_SEARCHES.split())
"""Words in the keys of objects that describe a search, and are not what it found."""
_ASIDE: Final = frozenset({"facets", "filters", "link", "links", "suggestions"})
"""Words in the keys of what comes with a search, and is not what it found."""
_MOST_LEVELS: Final = 4


def says_nothing(text: str) -> bool:
    """Return whether a text, perhaps below a heading, says that nothing was found."""
    before = r"\s*(?:#[^\n]{0,200}\n\s*)?(?:(?:sorry|info|note|results?)[,:]?\s*)?"
    return read_patterns(__package__, "nothing_found.txt", before=before).match(text) is not None


def has_nothing(value: object, *, levels: int = _MOST_LEVELS) -> bool:
    """Return whether data says that nothing was found: by a count of 0, a text, or nothing but empty lists."""
    if isinstance(value, list):
        return all(item in (None, "", [], {}) for item in value)
    if not isinstance(value, dict):
        return value in (None, "")
    if not value or _counts_zero(value) or any(isinstance(part, str) and says_nothing(part) for part in value.values()):
        return True
    return levels > 0 and _holds_nothing(value, levels - 1)


def _holds_nothing(value: Mapping[str, Any], levels: int) -> bool:
    """Return whether all lists and objects have nothing, except those that describe the search."""
    parts = {key: part for key, part in value.items() if _ASIDE.isdisjoint(words(key))}
    dicts = {key: part for key, part in parts.items() if isinstance(part, dict)}
    about = [part for key, part in dicts.items() if not _ABOUT_SEARCH.isdisjoint(words(key))]
    lists = [part for part in parts.values() if isinstance(part, list)]
    if any(not has_nothing(part) for part in lists):
        return False
    if any(map(_counts_zero, about)):
        return True
    found = [*lists, *(part for key, part in dicts.items() if _ABOUT_SEARCH.isdisjoint(words(key)))]
    if not found:
        return any(part and has_nothing(part, levels=levels) for part in about)
    return all(has_nothing(part, levels=levels) for part in found) and not any(map(_holds_list, about))


def _holds_list(value: Mapping[str, Any]) -> bool:
    return any(isinstance(part, list) and not has_nothing(part) for part in value.values())


def _counts_zero(value: Mapping[str, Any]) -> bool:
    return any("".join(words(key)) in _COUNTS and _is_zero(count) for key, count in value.items())


def _is_zero(count: object) -> bool:
    """Return whether a count is 0, also as a text or as `{"value": 0}` of Elasticsearch."""
    if isinstance(count, dict):
        count = count.get("value")
    return count == "0" or (isinstance(count, int) and not isinstance(count, bool) and count == 0)

"""Compares tool calls, and pairs the calls of two lists. Pure, and bounded in its work."""

from .alignment import MAX_PAIRS, TooLong, longest_common_subsequence, maximum_matching
from .arguments import OTHER_WAY_ROUND, ArgumentMatcher, ArgumentOptions
from .equality import fits, is_comparable, same

__all__ = [
    "MAX_PAIRS",
    "OTHER_WAY_ROUND",
    "ArgumentMatcher",
    "ArgumentOptions",
    "TooLong",
    "fits",
    "is_comparable",
    "longest_common_subsequence",
    "maximum_matching",
    "same",
]

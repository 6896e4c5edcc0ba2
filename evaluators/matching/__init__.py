"""Compares tool calls, and pairs the calls of two lists. Pure, and bounded in its work."""

from .alignment import MAX_PAIRS, TooLong, longest_common_subsequence, maximum_matching, refuse_if_too_long
from .arguments import OTHER_WAY_ROUND, ArgumentMatcher, ArgumentOptions
from .equality import fits, is_comparable, same
from .unrecorded import TOO_DEEP, unrecorded_arguments

__all__ = [
    "MAX_PAIRS",
    "OTHER_WAY_ROUND",
    "TOO_DEEP",
    "ArgumentMatcher",
    "ArgumentOptions",
    "TooLong",
    "fits",
    "is_comparable",
    "longest_common_subsequence",
    "maximum_matching",
    "refuse_if_too_long",
    "same",
    "unrecorded_arguments",
]

"""Compares the arguments of tool calls with the expected ones.

Follows Dokimos (`TolerantArgumentMatcher`), with Unicode's own rules for `trim` and `ignore_case`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..definition.function_path import ConfiguredFunction
from ..definition.registry import Options
from ..model import ArgumentMode, ExpectedCall, JsonObject, ToolCall
from .alignment import MAX_PAIRS
from .equality import fits, same
from .unrecorded import unrecorded_arguments

__all__ = ["OTHER_WAY_ROUND", "ArgumentMatcher", "ArgumentOptions"]

OTHER_WAY_ROUND: Final[Mapping[ArgumentMode, ArgumentMode]] = {
    "exact": "exact",
    "subset": "superset",
    "superset": "subset",
    "ignore": "ignore",
}
"""The word for a mode in `matcher` by its word in `args_match`, and vice versa."""

_MISSING: Final = object()


class ArgumentMatcher(BaseModel):
    """How a call's arguments are compared with the expected ones. Written as a mode alone, or with its options.

    `subset`: every expected argument is there, and others may be. `superset`: there are no arguments but expected ones.
    The mode applies to the arguments themselves; objects inside them need equal keys, lists equal length and order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    mode: ArgumentMode = Field(default="exact", description="exact, subset, superset or ignore")
    trim: bool = Field(default=False, description="strings are equal without the white space around them (Unicode's)")
    ignore_case: bool = Field(default=False, description="strings are equal after Unicode case folding; keys never")
    custom: ConfiguredFunction[Callable[[JsonObject, JsonObject], bool]] | None = Field(
        default=None, description="`module:function` that answers (expected, actual) instead of all the above"
    )

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: object) -> object:
        if isinstance(value, str):
            return {"mode": value}
        return {"custom": value} if callable(value) else value

    @property
    def needs_arguments(self) -> bool:
        return self.mode != "ignore" or self.custom is not None

    def accepts(self, expected: JsonObject, actual: JsonObject) -> bool:
        """Return whether the arguments `actual` match `expected`."""
        if self.custom is not None:
            return bool(self.custom(expected, actual))
        return fits(self.mode, expected, actual, fold=self.folding)

    def accepts_at(self, paths: Sequence[str], expected: JsonObject, actual: JsonObject) -> bool:
        """Return whether both have the same value at each dotted path that `expected` has; `items.0.name` leads into a
        list."""
        pairs = ((_at(path, expected), _at(path, actual)) for path in paths)
        return all(
            expected_value is _MISSING or same(expected_value, value, fold=self.folding)
            for expected_value, value in pairs
        )

    @property
    def folding(self) -> Callable[[str], str] | None:
        """The function that is applied to strings before they are compared; None if they are compared as they are."""
        return self._fold if self.trim or self.ignore_case else None

    def _fold(self, text: str) -> str:
        if self.trim:
            text = text.strip()
        return text.casefold() if self.ignore_case else text


class ArgumentOptions(Options):
    """The options of every evaluator that compares arguments."""

    argument_matcher: ArgumentMatcher = Field(
        default=ArgumentMatcher(),
        description="how arguments are compared: a mode, or {mode, trim, ignore_case, custom}",
    )
    argument_matchers: Mapping[str, ArgumentMatcher] = Field(
        default_factory=dict, description="other matchers by tool; the expected call's name selects"
    )

    def matcher_for(self, tool: str) -> ArgumentMatcher:
        return self.argument_matchers.get(tool, self.argument_matcher)

    def accepts(self, expected: ExpectedCall, actual: ToolCall) -> bool:
        """Return whether `actual` matches the expected call. Arguments that are not an object never match."""
        if expected.name != actual.name:
            return False
        if expected.args is None:
            return True
        matcher = self._expected_matcher(expected)
        if actual.args is None:
            return not matcher.needs_arguments
        if isinstance(expected.args_match, tuple):
            return matcher.accepts_at(expected.args_match, expected.args, actual.args)
        return matcher.accepts(expected.args, actual.args)

    def altered(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], pairs: Mapping[int, int]
    ) -> dict[int, int]:
        """Return {position of an expected call: position of the call of its tool with other arguments}.

        Both calls have no partner in `pairs`. A call that matches, and is only at another position, is left out.
        """
        paired, unpaired = set(pairs.values()), defaultdict[str, deque[int]](deque)
        for at, call in enumerate(actual):
            if at not in paired:
                unpaired[call.name].append(at)
        instead = {
            at: unpaired[call.name].popleft()
            for at, call in enumerate(expected)
            if at not in pairs and unpaired.get(call.name)
        }
        return {at: candidate for at, candidate in instead.items() if not self.accepts(expected[at], actual[candidate])}

    def undecidable(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> str | None:
        """Return why the lists cannot be compared: too many dotted paths, or arguments that count were not recorded.
        None if they can be."""
        if len(actual) * sum(map(_steps, expected)) > MAX_PAIRS:
            return f"too many dotted paths to compare {len(actual):,} calls at (the limit is {MAX_PAIRS:,} steps)"
        if all(call.args is not None for call in actual):
            return None
        compared = {
            call.name for call in expected if call.args is not None and self._expected_matcher(call).needs_arguments
        }
        return unrecorded_arguments(actual, compared)

    def _expected_matcher(self, expected: ExpectedCall) -> ArgumentMatcher:
        matcher, mode = self.matcher_for(expected.name), expected.matcher
        if mode is None and expected.args_match is not None:
            mode = "exact" if isinstance(expected.args_match, tuple) else OTHER_WAY_ROUND[expected.args_match]
        return matcher if mode is None else _in_mode(matcher, mode)


@lru_cache(maxsize=256)
def _in_mode(matcher: ArgumentMatcher, mode: ArgumentMode) -> ArgumentMatcher:
    return matcher.model_copy(update={"mode": mode, "custom": None})


def _steps(expected: ExpectedCall) -> int:
    """Return how many keys are looked up to compare one call with the expected one at its dotted paths."""
    paths = expected.args_match if isinstance(expected.args_match, tuple) else ()
    return sum(path.count(".") + 1 for path in paths)


def _at(path: str, value: Any) -> Any:
    for key in path.split("."):
        if isinstance(value, dict):
            value = value.get(key, _MISSING)
        else:
            value = _entry(value, key) if isinstance(value, (list, tuple)) else _MISSING
    return value


def _entry(values: Sequence[Any], key: str) -> Any:
    is_index = key.isdecimal() and len(key) <= len(str(len(values)))
    return values[int(key)] if is_index and int(key) < len(values) else _MISSING

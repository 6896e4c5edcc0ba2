"""Compares the arguments of two calls as Dokimos does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...definition.function_path import ConfiguredFunction
from ...definition.registry import Options
from ...matching import fits, unrecorded_arguments
from ...model import ArgumentMode, ExpectedCall, JsonObject, ToolCall
from .java_text import fold, trim

__all__ = ["ArgMatchMode", "MatcherOptions", "TolerantArgumentMatcher"]

ArgMatchMode: TypeAlias = Literal["EXACT", "SUBSET", "SUPERSET", "IGNORE"]

_MODES: Final[Mapping[ArgMatchMode, ArgumentMode]] = {
    "EXACT": "exact",
    "SUBSET": "subset",
    "SUPERSET": "superset",
    "IGNORE": "ignore",
}


class TolerantArgumentMatcher(BaseModel):
    """Dokimos' matcher: numbers by their decimal value, strings as Java compares them. Written as a mode or in full.

    `SUBSET`: every expected argument is there, and others may be. `SUPERSET`: there are no arguments but expected ones,
    so a call without arguments always matches. The mode applies to the arguments themselves; objects inside them need
    equal keys. The value of a float is that of its shortest text, as in Java since version 19.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    mode: ArgMatchMode = Field(default="EXACT", description="EXACT, SUBSET, SUPERSET or IGNORE")
    trim_strings: bool = Field(default=False, description="as Java's String.trim does; keys never")
    case_insensitive: bool = Field(default=False, description="as Java's equalsIgnoreCase does; keys never")
    custom: ConfiguredFunction[Callable[[JsonObject, JsonObject], bool]] | None = Field(
        default=None, description="`module:function` that answers (expected, actual) instead of all the above"
    )

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: object) -> object:
        if isinstance(value, str):
            if ":" in value:
                raise ValueError(f"it is {value!r}; write {{custom: {value}}} for a function of yours")
            return {"mode": value}
        return {"custom": value} if callable(value) else value

    @property
    def needs_arguments(self) -> bool:
        return self.mode != "IGNORE" or self.custom is not None

    def matches(self, expected: JsonObject | None, actual: JsonObject | None) -> bool:
        """Return whether the arguments `actual` match `expected`. None counts as no arguments."""
        expected, actual = expected or {}, actual or {}
        if self.custom is not None:
            return bool(self.custom(expected, actual))
        folding = self._fold if self.trim_strings or self.case_insensitive else None
        return fits(_MODES[self.mode], expected, actual, fold=folding)

    def _fold(self, text: str) -> str:
        if self.trim_strings:
            text = trim(text)
        return fold(text) if self.case_insensitive else text


class MatcherOptions(Options):
    """The option of the evaluators that compare arguments."""

    argument_matcher: TolerantArgumentMatcher = Field(
        default=TolerantArgumentMatcher(),
        description="how arguments are compared: a mode, or {mode, trim_strings, case_insensitive, custom}",
    )

    def matcher_for(self, tool: str) -> TolerantArgumentMatcher:  # noqa: ARG002 - the trajectory has one for each tool
        return self.argument_matcher

    def accepts(self, expected: ExpectedCall, actual: ToolCall) -> bool:
        """Return whether `actual` matches the expected call; without expected arguments, any are accepted."""
        if expected.name != actual.name:
            return False
        if expected.args is None:
            return True
        matcher = self.matcher_for(expected.name)
        if actual.args is None:
            return not matcher.needs_arguments
        return matcher.matches(expected.args, actual.args)

    def undecidable(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> str | None:
        """Return why the lists cannot be compared: arguments that count were not recorded. None if they can be."""
        compared = {
            call.name for call in expected if call.args is not None and self.matcher_for(call.name).needs_arguments
        }
        return unrecorded_arguments(actual, compared)

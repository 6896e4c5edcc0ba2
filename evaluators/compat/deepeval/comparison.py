"""How DeepEval compares the expected calls with those that were made."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, itemgetter
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ...matching import refuse_if_too_long
from ...model import ExpectedCall, ToolCall
from ..likeness import Pairs, alike, frozen, weighted_subsequence

__all__ = ["Call", "CallPart", "Comparison", "Incomparable"]

CallPart: TypeAlias = Literal["input", "output"]
"""What of a call may count besides its tool's name: its arguments, or its result."""

_ANYTHING: Final = object()


class Incomparable(ValueError):
    """Here the peer raises AttributeError, and has no score."""


class Call(NamedTuple):
    """One call, expected or made. `output` is the value of its result where that is JSON, `text` the result itself."""

    name: str
    args: Any
    output: Any
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Which of the calls made are the expected ones, and how alike they are.

    `parts` of the calls count besides the names of the tools. `exact`: position by position; `ordered`: pairs stand in
    the same order. `compat`: of equal calls only one can match, and what was not recorded is compared as None.
    """

    parts: Sequence[CallPart]
    exact: bool
    ordered: bool
    compat: bool

    def expected(self, call: ExpectedCall) -> Call:
        """Return the call as it is compared; what it leaves open may be anything."""
        left_open = None if self.compat else _ANYTHING
        return Call(
            call.name,
            left_open if call.args is None else call.args,
            left_open if call.result is None else _value(call.result),
            call.result,
        )

    def made(self, calls: Sequence[ToolCall], expected: Sequence[Call]) -> list[Call]:
        """Return the calls as they are compared. Results may be long: they are only read where one is expected."""
        reads = self.compat or ("output" in self.parts and any(call.text is not None for call in expected))
        return [
            Call(call.name, call.args, _value(call.result) if reads and call.result is not None else None, call.result)
            for call in calls
        ]

    def pairs(self, expected: Sequence[Call], made: Sequence[Call]) -> Pairs:
        """Return the pairs that count. Raises TooLong, Incomparable, or RecursionError on very deep arguments."""
        if self.exact:
            couples = enumerate(zip(expected, made, strict=False))
            return {at: (at, 1.0) for at, (expected_call, call) in couples if self._is_same(expected_call, call)}
        refuse_if_too_long((len(made), len(expected)))
        if self.ordered:
            return weighted_subsequence(expected, made, self._likeness)
        return self._best(expected, made)

    def score(self, expected: Sequence[Call], made: Sequence[Call], pairs: Pairs) -> float:
        """Return what the pairs are worth, in [0, 1]."""
        if self.exact:
            return float(len(pairs) == len(expected) == len(made))
        if not expected:
            return float(not made)
        total = reduce(add, map(itemgetter(1), pairs.values()), 0.0)  # sum() rounds otherwise from Python 3.12 on
        return min(total / len(expected), 1.0)

    def _best(self, expected: Sequence[Call], made: Sequence[Call]) -> Pairs:
        """Pair each expected call with the best of those that are free, the first of equals."""
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        for at, call in enumerate(made):
            by_name[call.name].append(at)
        identity = [frozen(call[:3]) for call in made] if self.compat else range(len(made))
        used: set[Hashable] = set()
        pairs: Pairs = {}
        for at, wanted in enumerate(expected):
            free = [place for place in by_name[wanted.name] if identity[place] not in used]
            rated = [(place, self._likeness(wanted, made[place])) for place in free]
            place, most = max(rated, key=itemgetter(1), default=(0, 0.0))
            if most > 0:
                used.add(identity[place])
                pairs[at] = (place, most)
        return pairs

    def _likeness(self, expected: Call, made: Call) -> float:
        """Return how far two calls are the same, in [0, 1]."""
        if expected.name != made.name:
            return 0.0
        share = self._alike_inputs(expected.args, made.args) if "input" in self.parts else 1.0
        return share if self._is_same_output(expected, made) else 0.0

    def _alike_inputs(self, expected: Any, made: Any) -> float:
        if expected is _ANYTHING:
            return 1.0
        if isinstance(expected, dict) and isinstance(made, dict):
            return alike(expected, made)
        if self.compat and expected is not made:
            raise Incomparable("DeepEval cannot compare a call without arguments with one that has some")
        return float(expected is made)

    def _is_same(self, expected: Call, made: Call) -> bool:
        if expected.name != made.name or not self._is_same_output(expected, made):
            return False
        return "input" not in self.parts or expected.args is _ANYTHING or expected.args == made.args

    def _is_same_output(self, expected: Call, made: Call) -> bool:
        if "output" not in self.parts or expected.output is _ANYTHING:
            return True
        return bool(expected.text == made.text or expected.output == made.output)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

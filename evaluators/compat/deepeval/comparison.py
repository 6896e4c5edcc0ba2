"""Compares expected calls with those that were made as DeepEval does."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, itemgetter
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ...matching import is_comparable, refuse_if_too_long
from ...model import ExpectedCall, ToolCall
from ..likeness import Pairs, alike, frozen, weighted_subsequence

__all__ = ["Call", "CallPart", "Comparison", "Incomparable"]

CallPart: TypeAlias = Literal["input", "output"]
"""The parts of a call that may count besides its tool's name: its arguments and its result."""

_ANYTHING: Final = object()


class Incomparable(ValueError):
    """The calls cannot be compared: the peer raises AttributeError and has no score."""


class Call(NamedTuple):
    """A call, expected or made. `output` is the result, decoded if it is JSON; `text` is the result as it is."""

    name: str
    args: Any
    output: Any
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How expected calls are paired with those that were made, and how similar the pairs are.

    `parts` of the calls count besides the names of the tools. `exact`: position by position; `ordered`: pairs are in
    the same order. `compat`: only one of several equal calls can match, and unrecorded values are compared as None.
    `leaves_out`: a part of a call that was not recorded is not compared.
    """

    parts: Sequence[CallPart]
    exact: bool
    ordered: bool
    compat: bool
    leaves_out: bool = False

    def expected(self, call: ExpectedCall) -> Call:
        """Return the call as it is compared; unspecified parts accept anything, or with `compat` only None."""
        left_open = None if self.compat else _ANYTHING
        return Call(
            call.name,
            left_open if call.args is None else call.args,
            left_open if call.result is None else _value(call.result),
            call.result,
        )

    def made(self, calls: Sequence[ToolCall], expected: Sequence[Call]) -> list[Call]:
        """Return the calls as they are compared. Results may be long: they are only decoded if one is expected."""
        reads = self.compat or ("output" in self.parts and any(call.text is not None for call in expected))
        return [self._made(call, reads=reads) for call in calls]

    def _made(self, call: ToolCall, *, reads: bool) -> Call:
        output = _value(call.result) if reads and call.result is not None else None
        if not self.leaves_out:
            return Call(call.name, call.args, output, call.result)
        return Call(
            call.name,
            call.args if is_comparable(call) else _ANYTHING,
            _ANYTHING if call.result is None and call.status in {"ok", None} else output,
            call.result,
        )

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
        """Return the score of the pairs, in [0, 1]."""
        if self.exact:
            return float(len(pairs) == len(expected) == len(made))
        if not expected:
            return float(not made)
        total = reduce(add, map(itemgetter(1), pairs.values()), 0.0)  # sum() rounds otherwise from Python 3.12 on
        return min(total / len(expected), 1.0)

    def _best(self, expected: Sequence[Call], made: Sequence[Call]) -> Pairs:
        """Pair each expected call with the best call that is still free, the first of equally good ones."""
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
        """Return how similar two calls are, in [0, 1]."""
        if expected.name != made.name:
            return 0.0
        share = self._alike_inputs(expected.args, made.args) if "input" in self.parts else 1.0
        return share if self._is_same_output(expected, made) else 0.0

    def _alike_inputs(self, expected: Any, made: Any) -> float:
        if expected is _ANYTHING or made is _ANYTHING:
            return 1.0
        if isinstance(expected, dict) and isinstance(made, dict):
            return alike(expected, made)
        if self.compat and expected is not made:
            raise Incomparable("DeepEval cannot compare a call without arguments with one that has some")
        return float(expected is made)

    def _is_same(self, expected: Call, made: Call) -> bool:
        if expected.name != made.name or not self._is_same_output(expected, made):
            return False
        return (
            "input" not in self.parts
            or expected.args is _ANYTHING
            or made.args is _ANYTHING
            or expected.args == made.args
        )

    def _is_same_output(self, expected: Call, made: Call) -> bool:
        if "output" not in self.parts or expected.output is _ANYTHING or made.output is _ANYTHING:
            return True
        return bool(expected.text == made.text or expected.output == made.output)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

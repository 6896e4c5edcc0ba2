"""When two JSON values are equal, when arguments match, and how two lists line up."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.matching import (
    MAX_PAIRS,
    ArgumentMatcher,
    ArgumentOptions,
    TooLong,
    longest_common_subsequence,
    maximum_matching,
    same,
)
from tracegrade.evaluators.model import ExpectedCall, JsonObject, ToolCall

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
)
RELATIONS = st.integers(0, 7).flatmap(
    lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width), max_size=7)
)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        pytest.param(1, 1.0, True, id="an integer and the float of its value"),
        pytest.param(0.3, 0.30000000000000004, False, id="neighbouring floats"),
        pytest.param(2**53, 2**53 + 1, False, id="big integers"),
        pytest.param(2**53 + 1, float(2**53), False, id="a big integer and the float next to it"),
        pytest.param(10**23, 1e23, True, id="the decimal that a float's text names"),
        pytest.param(0, -0.0, True, id="zeros"),
        pytest.param(float("nan"), float("nan"), True, id="NaN and NaN"),
        pytest.param(float("nan"), 1, False, id="NaN and a number"),
        pytest.param(float("inf"), float("-inf"), False, id="infinities of two signs"),
        pytest.param(float("inf"), 10**400, False, id="infinity and a number beyond the floats"),
        pytest.param(True, 1, False, id="true and one"),
        pytest.param(0.0, False, False, id="zero and false"),
        pytest.param(None, None, True, id="null and null"),
        pytest.param(None, "", False, id="null and nothing written"),
        pytest.param(1, "1", False, id="a number and its text"),
        pytest.param([1, 2], [2, 1], False, id="lists in two orders"),
        pytest.param([1], [1, 1], False, id="lists of two lengths"),
        pytest.param(["a"], "a", False, id="a list and its element"),
        pytest.param({"a": 1, "b": [{"c": 2}]}, {"b": [{"c": 2.0}], "a": 1}, True, id="objects in two key orders"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1, "c": None}}, False, id="a null is not an absence"),
    ],
)
def test_json_values_are_equal_by_what_they_mean(left: object, right: object, *, equal: bool) -> None:
    assert same(left, right) is equal
    assert same(right, left) is equal


@given(VALUES)
def test_every_value_equals_itself(value: object) -> None:
    assert same(value, value)


@given(VALUES, VALUES)
def test_equality_has_no_direction(left: object, right: object) -> None:
    assert same(left, right) == same(right, left)


def test_nesting_costs_no_stack() -> None:
    assert same(nested(100_000), nested(100_000))


@pytest.mark.parametrize(
    ("options", "expected", "actual", "accepted"),
    [
        pytest.param({"trim": True}, " Paris\n", "Paris", True, id="trimmed"),
        pytest.param({"trim": True}, "\u00a0Paris", "Paris", True, id="trimmed of a no-break space"),
        pytest.param({}, " Paris", "Paris", False, id="not trimmed unless asked"),
        pytest.param({"ignore_case": True}, "PARIS", "paris", True, id="folded"),
        pytest.param({"ignore_case": True}, "STRASSE", "straße", True, id="folded as Unicode does"),
        pytest.param({"ignore_case": True}, "é", "e\u0301", False, id="never normalised"),
        pytest.param({"trim": True, "ignore_case": True}, ["A "], ["a"], True, id="inside a list"),
        pytest.param({"ignore_case": True}, {"K": 1}, {"k": 1}, False, id="never a key"),
    ],
)
def test_strings_are_compared_as_the_options_say(
    options: dict[str, bool], expected: object, actual: object, *, accepted: bool
) -> None:
    assert ArgumentMatcher(**options).accepts({"v": expected}, {"v": actual}) is accepted


@pytest.mark.parametrize(
    ("mode", "accepted"),
    [
        ("exact", {"same"}),
        ("subset", {"same", "more"}),
        ("superset", {"same", "less"}),
        ("ignore", {"same", "more", "less"}),
    ],
)
def test_a_mode_says_which_arguments_may_differ(mode: Any, accepted: set[str]) -> None:
    given_args: dict[str, JsonObject] = {"same": {"a": 1, "b": 2}, "more": {"a": 1, "b": 2, "c": 3}, "less": {"a": 1}}
    matcher = ArgumentMatcher(mode=mode)
    assert {name for name, args in given_args.items() if matcher.accepts({"a": 1, "b": 2}, args)} == accepted


@pytest.mark.parametrize("mode", ["subset", "superset"])
def test_a_mode_does_not_reach_into_values(mode: Any) -> None:
    matcher = ArgumentMatcher(mode=mode)
    assert not matcher.accepts({"f": {"a": 1}}, {"f": {"a": 1, "b": 2}})
    assert not matcher.accepts({"f": {"a": 1, "b": 2}}, {"f": {"a": 1}})


def test_a_matcher_is_written_as_a_mode_an_object_or_a_function() -> None:
    options = ArgumentOptions.model_validate(
        {
            "argument_matcher": "subset",
            "argument_matchers": {"search": {"mode": "exact", "trim": True}, "pay": within_a_cent},
        }
    )
    assert options.matcher_for("other") == ArgumentMatcher(mode="subset")
    assert options.matcher_for("search") == ArgumentMatcher(trim=True)
    assert options.matcher_for("pay").accepts({"amount": 1.0}, {"amount": 1.004})


def test_a_function_is_found_by_its_path() -> None:
    matcher = ArgumentMatcher.model_validate({"custom": "operator:eq"}, context={"resolve": import_function})
    assert matcher.accepts({"a": 1}, {"a": True})  # as Python sees it


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValidationError, match="'exact', 'subset', 'superset' or 'ignore'"):
        ArgumentOptions.model_validate({"argument_matcher": "sub"})


def test_the_expected_calls_tool_selects_the_matcher() -> None:
    options = ArgumentOptions.model_validate({"argument_matchers": {"search": "ignore"}})
    assert options.accepts(ExpectedCall(name="search", args={"q": 1}), ToolCall(name="search", args={}))
    assert not options.accepts(ExpectedCall(name="pay", args={"q": 1}), ToolCall(name="pay", args={}))


def test_an_expected_call_may_bring_its_own_mode() -> None:
    options = ArgumentOptions.model_validate({"argument_matcher": {"ignore_case": True}})
    expected = ExpectedCall(name="search", args={"q": "BOOTS"}, matcher="subset")
    assert options.accepts(expected, ToolCall(name="search", args={"q": "boots", "page": 2}))


@pytest.mark.parametrize(
    ("words", "more", "fewer"),
    [
        pytest.param({"matcher": "subset"}, True, False, id="matcher subset: the expected ones are there"),
        pytest.param({"matcher": "superset"}, False, True, id="matcher superset: no others are there"),
        pytest.param({"args_match": "superset"}, True, False, id="args_match superset: at least the expected ones"),
        pytest.param({"args_match": "subset"}, False, True, id="args_match subset: at most the expected ones"),
        pytest.param({"args_match": "exact"}, False, False, id="args_match exact"),
        pytest.param({"args_match": "ignore"}, True, True, id="args_match ignore"),
        pytest.param({"args_match": ("q",)}, True, True, id="args_match paths"),
    ],
)
def test_an_expected_call_says_in_ours_or_agentvs_words_how_it_is_compared(
    words: dict[str, Any],
    more: bool,  # noqa: FBT001
    fewer: bool,  # noqa: FBT001
) -> None:
    expected = ExpectedCall(name="a", args={"q": 1, "p": 2}, **words)
    accepts = ArgumentOptions().accepts
    assert accepts(expected, ToolCall(name="a", args={"q": 1, "p": 2, "n": 3})) is more
    assert accepts(expected, ToolCall(name="a", args={"q": 1})) is fewer


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        pytest.param("user.id", True, id="the same there"),
        pytest.param("items.1.name", True, id="the same in a list"),
        pytest.param("user.name", False, id="another there"),
        pytest.param("items.0.name", False, id="missing in the call"),
        pytest.param("user.id.x", True, id="not expected either"),
    ],
)
def test_at_dotted_paths_only_what_they_lead_to_is_compared(path: str, accepted: bool) -> None:  # noqa: FBT001
    wanted = {"user": {"id": 1, "name": "A"}, "items": [{"name": "x"}, {"name": "y"}]}
    made = {"user": {"id": 1.0, "name": "B"}, "items": [{}, {"name": "y"}]}
    expected = ExpectedCall(name="a", args=wanted, args_match=(path,))
    assert ArgumentOptions().accepts(expected, ToolCall(name="a", args=made)) is accepted


def test_paths_without_end_are_refused_and_not_walked() -> None:
    expected = ExpectedCall(name="a", args={}, args_match=("x." * 600_000,))
    calls = [ToolCall(name="a", args={})] * 2
    assert "too many dotted paths" in str(ArgumentOptions().undecidable([expected], calls))


def test_arguments_that_nobody_stated_match_any() -> None:
    assert ArgumentOptions().accepts(ExpectedCall(name="a"), ToolCall(name="a", args=None))


def test_text_that_is_no_object_is_never_the_expected_arguments() -> None:
    call = ToolCall(name="a", args_text="{broken")
    assert not ArgumentOptions().accepts(ExpectedCall(name="a", args={}), call)
    assert ArgumentOptions().undecidable([ExpectedCall(name="a", args={})], [call]) is None


def test_arguments_that_were_not_recorded_are_undecidable() -> None:
    calls = [ToolCall(name="a", args={}), ToolCall(name="b")]
    assert ArgumentOptions().undecidable([ExpectedCall(name="b", args={})], calls) == (
        "the arguments of b (call 1) were not recorded"
    )
    assert ArgumentOptions().undecidable([ExpectedCall(name="b"), ExpectedCall(name="a", args={})], calls) is None


@given(RELATIONS)
def test_longest_common_subsequence_is_the_longest_for_any_relation(relation: list[list[bool]]) -> None:
    left, right, equal = positions(relation)
    pairs = longest_common_subsequence(left, right, equal)

    assert all(equal(row, column) for row, column in pairs)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(pairs))
    assert len(pairs) == textbook_length(relation)


@given(RELATIONS)
def test_maximum_matching_is_as_large_as_networkx_finds(relation: list[list[bool]]) -> None:
    left, right, accepts = positions(relation)
    pairs = maximum_matching(left, right, accepts)

    assert all(accepts(row, column) for row, column in pairs.items())
    assert len(set(pairs.values())) == len(pairs)
    assert len(pairs) == networkx_size(relation)


def test_a_matching_gives_way_where_first_fit_would_not() -> None:
    accepts = {(0, 0), (0, 1), (1, 0)}
    assert maximum_matching(range(2), range(2), lambda one, other: (one, other) in accepts) == {0: 1, 1: 0}


def test_equal_calls_are_paired_in_order() -> None:
    assert maximum_matching("aaa", "aaa", str.__eq__) == {0: 0, 1: 1, 2: 2}


def test_a_long_chain_of_moves_needs_no_recursion() -> None:
    length = 1_000  # position k takes k or k + 1, the last only its own predecessor's place: everybody moves
    pairs = maximum_matching(
        range(length), range(length), lambda one, other: other in {one, one + 1} if one < length - 1 else other == 0
    )
    assert len(pairs) == length


def test_a_dense_relation_is_matched_within_the_limit() -> None:
    shuffled = random.Random(7).sample(range(600), 600)
    assert len(maximum_matching(shuffled, range(600), lambda one, other: one <= other)) == 600


@pytest.mark.parametrize("align", [longest_common_subsequence, maximum_matching])
def test_lists_beyond_the_limit_are_refused(align: Callable[..., object]) -> None:
    with pytest.raises(TooLong, match="1,001 calls against 1,000 are too many"):
        align(range(1_001), range(1_000, 2_000), int.__eq__)
    assert MAX_PAIRS == 1_000 * 1_000


def test_equal_ends_do_not_count_towards_the_limit() -> None:
    with_a_gap = [*range(5_000), *range(5_001, 10_000)]
    assert len(longest_common_subsequence(with_a_gap, range(10_000), int.__eq__)) == 9_999


def within_a_cent(expected: JsonObject, actual: JsonObject) -> bool:
    return bool(abs(expected["amount"] - actual["amount"]) < 0.01)


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def positions(relation: list[list[bool]]) -> tuple[Sequence[int], Sequence[int], Callable[[int, int], bool]]:
    width = len(relation[0]) if relation else 0
    return range(len(relation)), range(width), lambda row, column: relation[row][column]


def textbook_length(relation: list[list[bool]]) -> int:
    @cache
    def length(row: int, column: int) -> int:
        if row == len(relation) or column == len(relation[0]):
            return 0
        skipped = max(length(row + 1, column), length(row, column + 1))
        return max(skipped, 1 + length(row + 1, column + 1)) if relation[row][column] else skipped

    return length(0, 0) if relation else 0


def networkx_size(relation: list[list[bool]]) -> int:
    graph: nx.Graph[tuple[str, int]] = nx.Graph()
    graph.add_nodes_from(("left", row) for row in range(len(relation)))
    for row, cells in enumerate(relation):
        graph.add_edges_from((("left", row), ("right", column)) for column, cell in enumerate(cells) if cell)
    top = [node for node in graph if node[0] == "left"]
    return len(nx.bipartite.hopcroft_karp_matching(graph, top)) // 2

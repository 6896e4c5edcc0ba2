from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.modules import working_in

from tracegrade.collector.config.evaluator_config import EvaluatorEntry
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import catalogue, configure, configured
from tracegrade.evaluators.catalog.specification import WrongSpec
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Definition, Options, UnknownEvaluator, WrongOptions, evaluator
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall
from tracegrade.evaluators.text.option_hints import BESIDE_OPTIONS

OURS = ["run_completion", "tool_call_validity", "tool_correctness", "tool_efficiency", "tool_error", "tool_trajectory"]


class Strict(Options):
    """0.75, and what the options make of it."""

    mark: int | None = None
    least: float | None = None
    every: bool = False

    @property
    def own_threshold(self) -> float | None:
        return self.least if self.mark is None else self.mark / 3

    @property
    def decided_by(self) -> str | None:
        named = "`every`" if self.every else "`mark`" if self.mark is not None else None
        return named or super().decided_by

    def __call__(self, _: AgentTrace) -> Score:
        return Score(value=0.75, passed=False if self.every else None)


STRICT = Definition(
    name="strict",
    version=1,
    scope="trace",
    threshold=0.5,
    factory=Strict,
    reads=(),
    skipped_when="",
    source="house rule",
)


def test_catalogue_lists_what_can_be_named_in_order() -> None:
    names = list(catalogue())
    assert set(OURS) <= set(names)
    assert names == sorted(names)


@pytest.mark.parametrize("name", OURS)
def test_every_evaluator_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    definition = catalogue()[name]
    assert definition.summary
    assert definition.source
    assert definition.version >= 1
    assert definition.threshold is None or 0 <= definition.threshold <= 1


@pytest.mark.parametrize("name", OURS)
def test_every_evaluator_runs_without_options_on_a_run_that_did_nothing(name: str) -> None:
    [score] = evaluate(configure(name), AgentTrace())
    assert score.status in {"scored", "skipped"}


def test_evaluator_goes_by_its_type_or_by_a_name_of_its_own() -> None:
    assert configure("tool_error").name == "tool_error"
    own = configure("tool_error", name="mine")
    assert (own.name, own.type) == ("mine", "tool_error")


def test_unknown_evaluator_is_told_the_nearest_name() -> None:
    with pytest.raises(UnknownEvaluator, match=r"named 'tool_eror' \(did you mean 'tool_error'\?\);"):
        configure("tool_eror")


def test_unknown_evaluator_that_resembles_none_is_told_where_to_look() -> None:
    with pytest.raises(UnknownEvaluator, match="`tracegrade evaluators` lists them"):
        configure("xyz")


def test_unknown_option_is_told_the_nearest_one() -> None:
    with pytest.raises(WrongOptions, match=r"tool_trajectory has no option 'moed' \(did you mean 'mode'\?\)"):
        configure("tool_trajectory", options={"moed": "exact"})


def test_option_that_resembles_none_is_told_what_there_is() -> None:
    with pytest.raises(WrongOptions, match=r"known here: argument_matcher, .*mode"):
        configure("tool_trajectory", options={"zzzzzz": 1})


def test_option_of_the_wrong_kind_is_named() -> None:
    with pytest.raises(WrongOptions, match="option 'mode' of tool_trajectory"):
        configure("tool_trajectory", options={"mode": 7})


def test_config_hash_is_of_what_changes_scores_and_of_nothing_else() -> None:
    usual = configure("tool_trajectory").config_hash
    assert configure("tool_trajectory", name="mine", only_with_reference=True).config_hash == usual
    default = catalogue()["tool_trajectory"]
    assert configure("tool_trajectory", threshold=default.threshold).config_hash == usual
    changed = [
        configure("tool_trajectory", threshold=0.1).config_hash,
        configure("tool_trajectory", options={"mode": "any_order"}).config_hash,
        configure("tool_error").config_hash,
    ]
    assert len({usual, *changed}) == 4


def test_option_that_is_set_to_its_default_changes_nothing() -> None:
    default = catalogue()["tool_trajectory"].factory.model_fields["mode"].default
    assert (
        configure("tool_trajectory", options={"mode": default}).config_hash == configure("tool_trajectory").config_hash
    )


def test_threshold_is_the_evaluators_own_unless_one_is_given() -> None:
    assert configure("tool_error").threshold == catalogue()["tool_error"].threshold
    assert configure("tool_error", threshold=0).threshold == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param({"mark": 3}, "strict decides by `mark` which run passes; change that, and", id="named"),
        pytest.param({"least": 0.75}, "strict decides by its options which run passes; change that, and", id="unnamed"),
        pytest.param(
            {"every": True}, "strict decides by `every` which run passes; change that, and", id="no least value"
        ),
    ],
)
def test_threshold_beside_options_that_say_which_run_passes_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(WrongOptions, match=f"^{said} leave `threshold` out$"):
        configured(STRICT, {"options": options, "threshold": 0.2})


@pytest.mark.parametrize(
    ("options", "threshold", "passed"),
    [
        pytest.param({}, 0.5, True, id="the threshold decides"),
        pytest.param({"mark": 3}, 1.0, False, id="the options decide"),
        pytest.param({"every": True}, None, False, id="the options decide without a least value"),
    ],
)
def test_score_has_the_threshold_that_decided(
    options: dict[str, object], threshold: float | None, *, passed: bool
) -> None:
    [score] = evaluate(configured(STRICT, {"options": options}), AgentTrace())
    assert (score.value, score.threshold, score.passed) == (0.75, threshold, passed)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), "0.5", True, [0.5], len])
def test_threshold_that_is_no_number_from_0_to_1_is_refused(threshold: Any) -> None:
    with pytest.raises(WrongOptions, match=r"the threshold of tool_error is .*; write a number from 0 to 1"):
        configure("tool_error", threshold=threshold)


@pytest.mark.parametrize(
    ("use", "options", "said"),
    [
        pytest.param("tool_trajectory", {"mode": "in_oder"}, "it is 'in_oder'; write strict, .*'in_order'", id="word"),
        pytest.param("tool_trajectory", {"argument_matchers": []}, "it is a list; write a mapping", id="mapping"),
        pytest.param("pydantic_evals:max_tool_calls", {"max_calls": -1}, "it is -1; write 0 or more", id="negative"),
        pytest.param("pydantic_evals:max_tool_calls", {"max_calls": "x"}, "it is 'x'; write a whole number", id="text"),
        pytest.param("gl:agent", {"generation": 3}, "it is 3; name a function, as module:function", id="number"),
        pytest.param("rubric", {}, "rubric needs the option 'criteria'", id="missing"),
    ],
)
def test_option_that_is_refused_is_told_in_words_what_to_write(use: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(WrongOptions, match=said):
        configure(use, options=options)


@pytest.mark.parametrize(
    ("use", "options", "keys", "said"),
    [
        pytest.param(
            "deepeval:tool_correctness",
            {"available_tools": True},
            ("available_tools",),
            "it is a boolean; write recorded, or write a list",
            id="of no kind",
        ),
        pytest.param(
            "deepeval:tool_correctness",
            {"available_tools": [{"name": 1}]},
            ("available_tools", 0, "name"),
            "it is a number; write text",
            id="of one kind, and wrong inside",
        ),
        pytest.param(
            "langchain:trajectory_match",
            {"tool_args_match_overrides": {"search": "math:no"}},
            ("tool_args_match_overrides", "search"),
            "math has no 'no' (known here: ",
            id="of one kind, and not there",
        ),
        pytest.param(
            "tool_name_reliability",
            {"implementation_details": ["A B"]},
            ("implementation_details", 0),
            "it is 'A B'; write text that fits ^",
            id="of no such pattern",
        ),
    ],
)
def test_value_that_may_be_of_several_kinds_has_one_fault_where_it_stands(
    use: str, options: dict[str, object], keys: tuple[object, ...], said: str
) -> None:
    with pytest.raises(WrongSpec) as refusal:
        build({"use": use, "options": options}, resolve=import_function)
    [(place, text)] = refusal.value.faults
    assert place == ("options", *keys)
    assert said in text


DETECTORS = """
    import functools

    LIMIT = 3

    def failed(text): return "boom" in text

    async def slowly(text): return True

    def nothing(): return True

    partial = functools.partial(failed)
"""


def function_options(path: object) -> list[tuple[str, dict[str, object]]]:
    """Every option that names a function of one argument, or of two where `path` takes what it gets."""
    return [
        ("tool_error", {"predicate": path}),
        ("dokimos:tool_error", {"error_detector": path}),
        ("gl:agent", {"generation": path}),
        ("tool_trajectory", {"argument_matcher": {"custom": path}}),
        ("tool_trajectory", {"argument_matchers": {"search": {"custom": path}}}),
        ("dokimos:tool_trajectory", {"argument_matcher": {"custom": path}}),
        ("langchain:trajectory_match", {"tool_args_match_overrides": {"search": path}}),
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("detectors:faild", "detectors has no 'faild' (did you mean 'failed'?)", id="misspelt"),
        pytest.param("detectorz:failed", "there is no module 'detectorz', neither installed nor in", id="no module"),
        pytest.param("faulty:failed", "faulty cannot be imported: ZeroDivisionError: division", id="faulty module"),
        pytest.param("detectors:LIMIT", "detectors:LIMIT is not a function, but of type int", id="no function"),
        pytest.param("detectors:slowly", "detectors:slowly is async, which is not supported here", id="async"),
        pytest.param(
            "detectors:nothing", "which it does not take: too many positional arguments", id="too few arguments"
        ),
        pytest.param("detectors:partial", "is a partial without a name; wrap it in a function", id="without a name"),
    ],
)
@pytest.mark.parametrize("at", range(7))
def test_function_that_an_option_names_is_looked_for_as_an_evaluator_is(
    tmp_path: Path, path: str, said: str, at: int
) -> None:
    use, options = function_options(path)[at]
    with working_in(tmp_path, detectors=DETECTORS, faulty="1 / 0"), pytest.raises(WrongSpec) as refusal:
        build({"use": use, "options": options}, resolve=import_function)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("failed", "'failed' names no module; write module:failed", id="name alone"),
        pytest.param("detectors.failed", "'detectors.failed' names no module; write detectors:failed", id="dotted"),
        pytest.param(7, "it is 7; name a function, as module:function", id="number"),
    ],
)
def test_option_that_names_no_function_says_how_to_name_one(path: object, said: str) -> None:
    with pytest.raises(WrongSpec, match=f"^option 'predicate' of tool_error: {re.escape(said)}$"):
        build({"use": "tool_error", "options": {"predicate": path}}, resolve=import_function)


@pytest.mark.parametrize("at", range(7))
def test_function_is_named_in_the_configuration_only(at: int) -> None:
    use, options = function_options("os:system")[at]
    with pytest.raises(WrongOptions, match="a function can be named only in the configuration file of the server"):
        configure(use, options=options)


def test_function_that_an_option_names_is_found_in_the_working_directory(tmp_path: Path) -> None:
    with working_in(tmp_path, detectors=DETECTORS):
        made = build({"use": "tool_error", "options": {"predicate": "detectors:failed"}}, resolve=import_function)
        [score] = evaluate(made, AgentTrace(tool_calls=(ToolCall(name="a", args={}, result="boom"),)))
    assert score.value == 0.0


@pytest.mark.parametrize(
    ("use", "options", "said"),
    [
        pytest.param(
            "dokimos:tool_trajectory",
            {"argument_matchers": {"search": "EXACT"}},
            "no option 'argument_matchers' (did you mean 'per_tool_matchers'?)",
            id="another system's name",
        ),
        pytest.param(
            "dokimos:tool_trajectory",
            {"argument_matchers": {"search": {"mod": "EXACT"}}},
            "no option 'argument_matchers' (did you mean 'per_tool_matchers'?)",
            id="another system's name, with a fault inside",
        ),
        pytest.param(
            "tool_trajectory",
            {"per_tool_matchers": {"search": {"mode": "exact"}}},
            "no option 'per_tool_matchers' (did you mean 'argument_matchers'?)",
            id="another system's name for ours",
        ),
        pytest.param(
            "langchain:trajectory_match",
            {"argument_matchers": {"search": "exact"}},
            "(did you mean 'tool_args_match_overrides'?)",
            id="what takes the value, whatever its name",
        ),
        pytest.param(
            "tool_trajectory",
            {"argument_matcher": {"search": {"mode": "exact"}}},
            "no option 'argument_matcher.search' (did you mean the option 'argument_matchers'?)",
            id="by tool where one is for all",
        ),
        pytest.param(
            "tool_trajectory",
            {"argument_matchers": {"trim": True}},
            "it is a boolean; write a mapping (did you mean the option 'argument_matcher'?)",
            id="one for all where they are by tool",
        ),
        pytest.param(
            "tool_trajectory",
            {"trim": True},
            "no option 'trim'; write it in `argument_matcher`, as {argument_matcher: {trim: …}}",
            id="part of an option",
        ),
        pytest.param(
            "tool_error",
            {"threshold": 0.5},
            "no option 'threshold'; `threshold` belongs to the entry of the evaluator, beside its options",
            id="threshold",
        ),
        pytest.param(
            "tool_error",
            {"treshold": 0.5},
            "(did you mean 'threshold', which belongs to the entry of the evaluator, beside its options?)",
            id="threshold, misspelt",
        ),
        pytest.param("tool_error", {"minimums": {"a": 1}}, "(known here: status, ", id="nothing like it"),
    ],
)
def test_option_that_there_is_not_leads_to_the_one_that_was_meant(
    use: str, options: dict[str, object], said: str
) -> None:
    with pytest.raises(WrongOptions) as refusal:
        configure(use, options=options)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        pytest.param({"use": len}, UnknownEvaluator, "not a function; a function is named in build", id="function"),
        pytest.param({"use": None}, UnknownEvaluator, "is text, not empty", id="nothing"),
        pytest.param({"options": ["blank"]}, WrongOptions, "options of tool_error are a list; write a", id="options"),
        pytest.param({"options": {1: True}}, WrongOptions, "options of tool_error are a mapping; write a", id="key"),
        pytest.param({"name": len}, WrongOptions, "the name of tool_error is a function; write text", id="name"),
        pytest.param(
            {"only_with_reference": "no"}, WrongOptions, "is 'no'; write True or False", id="text for a truth"
        ),
    ],
)
def test_argument_of_another_kind_is_refused_in_words(given: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        configure(**{"use": "tool_error", **given})


def test_words_that_stand_beside_options_are_keys_of_an_entry() -> None:
    assert set(EvaluatorEntry.model_fields) >= BESIDE_OPTIONS
    assert BESIDE_OPTIONS.isdisjoint(name for each in catalogue().values() for name in each.factory.model_fields)


def test_function_needs_no_decorator_and_is_told_how_it_is_named() -> None:
    with pytest.raises(TypeError, match=r"decorates mine, which is not a subclass of .*`python: module:function`"):

        @evaluator("mine", version=1, source="house rule")  # type: ignore[arg-type]
        def mine(_: AgentTrace) -> bool:
            return True


def test_name_that_another_class_has_is_refused() -> None:
    with pytest.raises(ValueError, match=r"two evaluators are called 'tool_error': .*ToolError and .*Mine; rename one"):

        @evaluator("tool_error", version=1, source="house rule")
        class Mine(Options):
            """Mine."""

"""Did the agent ask the same thing twice, or run in a circle?"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.checks.repetition.nothing import has_nothing, says_nothing
from tracegrade.evaluators.checks.tool_efficiency import ToolEfficiency
from tracegrade.evaluators.model import AgentTrace, LlmCall, Message, Score, ToolCall, ToolCallPart


def score_of(calls: Sequence[ToolCall], **options: Any) -> Score:
    return ToolEfficiency(**options)(AgentTrace(tool_calls=tuple(calls)))


def calls_of(text: str) -> list[ToolCall]:
    """`get:a get:b`: calls without arguments, each with its result. `!` is a failure; no result is not recorded."""
    calls = []
    for word in text.split():
        name, _, result = word.partition(":")
        failure = {"status": "error", "error": result} if result.startswith("!") else {}
        calls.append(ToolCall(name=name, args={}, result=result or None, **failure))
    return calls


def search(query: object, **fields: Any) -> ToolCall:
    return ToolCall(name="search", args={"query": query}, **{"result": "boots", **fields})


@pytest.mark.parametrize(
    ("calls", "wasted"),
    [
        pytest.param("get:a look:b find:c", 0, id="three tools"),
        pytest.param("get:a look:b get:a", 1, id="one again"),
        pytest.param("get:a get:a", 1, id="one right again"),
        pytest.param("get:a look:b get:c", 0, id="another result"),
        pytest.param("get:a write:b get:a", 0, id="read, write, read"),
        pytest.param("get:!no get:a", 0, id="a retry"),
        pytest.param("get:!no get:!no get:a", 0, id="two retries"),
        pytest.param("get_status:wait get_status:wait get_status:done", 0, id="polling that ends"),
        pytest.param("get_time:10 get_time:10", 0, id="a clock"),
        pytest.param("scroll:ok scroll:ok", 0, id="a tool that makes progress"),
        pytest.param("wait:ok wait:ok", 0, id="a pause"),
    ],
)
def test_a_repeat_is_waste_only_where_it_brought_nothing_new(calls: str, wasted: int) -> None:
    score = score_of(calls_of(calls))
    assert len(score.details["wasted"]) == wasted
    assert score.value == pytest.approx(1 - wasted / len(calls.split()))
    assert score.passed is True


def test_equal_arguments_are_recognised_however_they_are_written() -> None:
    assert score_of([search(1), search(1.0)]).value == 0.5
    assert score_of([search(1), search(query=True)]).value == 1
    assert score_of([search("boots"), search("BOOTS")]).value == 1
    folded = {"search": {"ignore_case": True}}
    assert score_of([search("boots"), search("BOOTS")], argument_matchers=folded).value == 0.5


def test_answers_that_differ_by_time_duration_and_request_alone_are_the_same() -> None:
    first = search(1, result='{"state": "up", "checked_at": "2026-01-01T10:00:00Z", "request_id": "a1"} in 12 ms')
    second = search(1, result='{"state": "up", "checked_at": "2026-01-01T10:00:09Z", "request_id": "b7"} in 97 ms')
    assert score_of([first, second]).value == 0.5


@pytest.mark.parametrize(
    ("calls", "rule"),
    [
        pytest.param("get:a get:a get:a", "same_call", id="the same call three times"),
        pytest.param("get:!no get:!no get:!no", "same_call", id="the same failure three times"),
        pytest.param("bash:x bash:x bash:x bash:x", "same_call", id="a command over and over"),
        pytest.param("get_status:p wait:ok get_status:p wait:ok get_status:p", "same_call", id="polling without end"),
        pytest.param("open:a close:b open:a close:b open:a close:b", "cycle", id="a cycle of two"),
        pytest.param("a:1 b:2 c:3 a:1 b:2 c:3 a:1 b:2 c:3", "cycle", id="a cycle of three"),
        pytest.param("get:a get:a get:a write:x get:b", "same_call", id="a loop before something changed"),
    ],
)
def test_a_loop_fails_and_names_its_rule(calls: str, rule: str) -> None:
    score = score_of(calls_of(calls))
    assert (score.passed, score.label) == (False, "loop")
    assert [loop["rule"] for loop in score.details["loops"]] == [rule]
    assert f"({rule})" in str(score.explanation)
    assert score_of(calls_of(calls), **{rule: False}).passed is True


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param("edit:a test:red edit:b test:red edit:c test:green", id="edit, test, edit, test"),
        pytest.param("get:a get:a", id="twice"),
        pytest.param("open:a close:b open:a close:b", id="a cycle that turns twice"),
        pytest.param("get_job:p get_job:p get_job:p get_job:p get_job:done", id="polling that ends"),
        pytest.param("get_a:p get_b:p get_a:p get_b:p get_a:p get_b:p get_a:done", id="polling two jobs"),
        pytest.param("press:ok press:ok press:ok press:ok", id="the same key over and over"),
        pytest.param("read_temperature:21 read_temperature:21 read_temperature:21", id="a sensor"),
        pytest.param("click:ok screenshot:png click:ok screenshot:png click:ok screenshot:png", id="screens"),
        pytest.param("get:!no get:!no get:!no get:a", id="retries that succeed"),
    ],
)
def test_work_that_goes_on_is_not_a_loop(calls: str) -> None:
    if calls.startswith("edit"):
        edits = [ToolCall(name="edit", args={"at": at}, result="ok") for at in range(3)]
        tests = [call for call in calls_of(calls) if call.name == "test"]
        assert score_of([call for pair in zip(edits, tests, strict=True) for call in pair]).value == 1
    else:
        assert score_of(calls_of(calls)).passed is True


def test_a_screen_that_stays_the_same_is_a_loop() -> None:
    screen = "Page 'Terms', the button Accept is grey, nothing else has changed"
    steps = [
        ToolCall(name="click", args={"x": 5}, result="ok"),
        ToolCall(name="screenshot", args={}, result=screen),
    ] * 4
    assert score_of(steps).passed is False


def test_a_dozen_near_identical_searches_that_find_nothing_are_a_loop() -> None:
    searches = [search(f"red boots size {size} waterproof", result="[]") for size in range(36, 48)]
    score = score_of(searches)
    assert score.value == pytest.approx(1 / 12)
    assert score.passed is False
    assert "12 near-identical calls of search found nothing (fruitless_search)" in str(score.explanation)
    assert score_of([*searches, search("red boots size 48 waterproof", result="one pair")]).passed is True
    assert score_of(searches[:5]).passed is True


@pytest.mark.parametrize(
    "nothing", ["No results found.", '{"results": [], "total": 0}', "Keine Treffer", "見つかりませんでした", "null", ""]
)
def test_nothing_is_found_in_many_words(nothing: str) -> None:
    searches = [search(f"red boots size {size} waterproof", result=nothing) for size in range(36, 48)]
    assert score_of(searches).passed is False


@pytest.mark.parametrize(
    "nothing",
    [
        {"total": 0, "papers": []},
        {"organic": [], "searchInformation": {"totalResults": "0"}},
        {"searchParameters": {"q": "red boots"}, "organic": [], "credits": 1},
        {"took": 3, "_shards": {"total": 1}, "hits": {"total": {"value": 0}, "max_score": None, "hits": []}},
        {"esearchresult": {"count": "0", "retmax": "0", "idlist": []}},
        {"query": {"searchinfo": {"totalhits": 0}, "search": []}},
        {"data": {"search": {"nodes": []}}},
        {"documents": [[]]},
    ],
)
def test_data_of_search_engines_has_nothing(nothing: dict[str, Any]) -> None:
    assert has_nothing(nothing)


@pytest.mark.parametrize(
    "found",
    [
        {"organic": [{"title": "Boots"}], "searchInformation": {"totalResults": "1"}},
        {"query": {"search": [{"title": "Boots"}]}, "warnings": []},
        {"hits": {"total": {"value": 1}, "hits": [{"title": "Boots"}]}},
        {"user": {"name": "Ada"}, "orders": []},
        {"items": ["boots"], "unread": {"count": 0}},
        {"answer": "Yes", "facets": {"size": []}, "meta": {"page": 1}},
    ],
)
def test_data_of_search_engines_has_something(found: dict[str, Any]) -> None:
    assert not has_nothing(found)


@pytest.mark.parametrize("text", ["Found 0 papers", "# Results for boots\n\nNo results found.", "Results: 0"])
def test_text_of_search_engines_says_nothing(text: str) -> None:
    assert says_nothing(text)


def test_report_of_results_says_something() -> None:
    assert not any(map(says_nothing, ["Found 3 papers", "# Results\n\nRed boots, size 36", "Results: 10"]))


LICHENS = """
microplastic uptake in lichens
microplastics uptake lichens
uptake of microplastics by lichens
lichen microplastic uptake
"lichens" microplastics accumulation
microplastic accumulation in lichen
microplastics lichen accumulation study
lichens accumulate microplastics
lichen microplastics absorption
absorption of microplastics by lichens
"""
BILLS = """
Rechnung Müller 2025
"Rechnungen" Müller
Müller Rechnungen 2025
Rechnung 2025 Müller
2025 Müller Rechnung
"""
CHINESE = """
地衣吸收微塑料
微塑料地衣吸收
地衣 微塑料 吸收
"""


PARTS = """
Brewmaster 300 carafe
carafe Brewmaster300
Brewmaster-300 carafe
"""


@pytest.mark.parametrize(
    "queries", [LICHENS, BILLS * 2, CHINESE * 4, PARTS * 4], ids=["English", "German", "Chinese", "number of a part"]
)
def test_other_forms_of_the_same_words_are_alike(queries: str) -> None:
    searches = [search(f"{query} {at}", result="[]") for at, query in enumerate(filter(None, queries.splitlines()))]
    assert score_of(searches).details["loops"][0]["rule"] == "fruitless_search"


def test_numbers_have_no_forms() -> None:
    assert score_of([search(f"{at}000001 {at}0000019", result="[]") for at in range(10, 25)]).passed is True


def test_other_searches_that_find_nothing_are_not_a_loop() -> None:
    assert score_of([search(f"word{at} term{at} thing{at}", result="[]") for at in range(15)]).passed is True


def test_sub_agents_may_ask_what_others_asked() -> None:
    [call] = calls_of("get:a")
    others = [call.model_copy(update={"child_agent_trace_id": child}) for child in ("one", "two")]
    assert score_of([call, *others]).value == 1


@pytest.mark.parametrize(
    ("option", "calls"),
    [
        ("ignore_retry_after_error", "get:!no get:!no"),
        ("ignore_after_write", "get:a write:b get:a"),
        ("ignore_polling", "get:a get:a get:b"),
        ("ignore_moving", "scroll:ok scroll:ok"),
    ],
)
def test_an_excuse_can_be_switched_off(option: str, calls: str) -> None:
    assert score_of(calls_of(calls)).value == 1
    assert score_of(calls_of(calls), **{option: False}).value != 1


def test_explanations_say_what_was_seen() -> None:
    assert score_of(calls_of("get:a get:!no")).explanation == "no call was repeated"
    assert score_of(calls_of("get:!no get:a")).explanation == "calls were repeated only to retry a failure"
    assert score_of(calls_of("get:a look:b get:a")).explanation == "1 of 3 calls brought nothing new: get"
    assert score_of(calls_of("get:a get:a get:a")).explanation == (
        "2 of 3 calls brought nothing new: get; get was called 3 times in a row with the same result (same_call)"
    )


def test_repeats_without_recorded_results_say_nothing() -> None:
    score = score_of(calls_of("get get get get"))
    assert (score.status, score.reason) == ("skipped", "the results of repeated calls were not recorded")
    assert score_of(calls_of("get get look:b look:b")).explanation == (
        "1 of 4 calls brought nothing new: look (1 repeat without a recorded result)"
    )


def test_calls_without_recorded_arguments_are_left_out_and_counted() -> None:
    score = score_of([ToolCall(name="a"), ToolCall(name="a"), search("boots"), search("boots")])
    assert score.value == 0.5
    assert score.details["not_compared"] == 2


def test_nothing_to_compare_is_skipped() -> None:
    assert score_of([]).reason == "the agent called no tools"
    assert score_of([ToolCall(name="a")]).reason == "the arguments of the tool calls were not recorded"
    unrecorded = AgentTrace(llm_calls=(LlmCall(finish_reasons=("tool_calls",)),))
    assert ToolEfficiency()(unrecorded).reason == "tool calls were not recorded (the model asked for tools)"


def test_names_alone_need_no_arguments() -> None:
    calls = [ToolCall(name="get", result="x"), ToolCall(name="get", result="x")]
    assert score_of(calls, argument_matcher="ignore").value == 0.5


def test_text_that_is_no_object_is_compared_as_text() -> None:
    broken = ToolCall(name="get", args_text="{broken", result="x")
    other = ToolCall(name="get", args_text="{other", result="x")
    assert score_of([broken, broken, other, *calls_of("get:x")]).value == pytest.approx(3 / 4)


def test_too_many_different_calls_are_skipped_with_the_reason() -> None:
    score = score_of([search(at) for at in range(1_500)], argument_matcher={"custom": operator.is_})
    assert score.status == "skipped"
    assert "are too many to compare (the limit is 1,000,000 pairs)" in str(score.reason)


def test_a_long_loop_is_not_too_long() -> None:
    score = score_of(calls_of("get_a:1 get_b:2 " * 5_000))
    assert (score.value, score.passed) == (0.0002, False)


@given(st.lists(st.sampled_from(["get:a", "get:b", "look:a", "write:a", "get:!no", "wait:ok"]), min_size=1))
def test_the_value_is_the_share_that_was_not_wasted(words: list[str]) -> None:
    score = score_of(calls_of(" ".join(words)))
    assert score.value == pytest.approx(1 - len(score.details["wasted"]) / len(words))
    assert score.passed is not score.details["loop"]


def test_loop_without_agent_span_that_ends_with_an_open_call_is_skipped() -> None:
    asking = Message(role="assistant", parts=(ToolCallPart(name="get"),))
    calls = (*calls_of("get:a get:a get:a"), ToolCall(name="get", args={}, status=None))
    score = ToolEfficiency()(AgentTrace(tool_calls=calls, messages=(asking,), gaps=("no_agent_span",)))
    assert (score.status, score.reason) == ("skipped", "no_agent_span")


def test_repeat_of_which_nothing_says_whether_it_ran_is_not_compared() -> None:
    score = score_of([*calls_of("get:a"), ToolCall(name="get", args={}, status=None)])
    assert (score.status, score.details["repeated"]) == ("skipped", 1)


@pytest.mark.parametrize("result", ["HTTP 429 Too Many Requests", '{"error": "overloaded, try again later"}'])
def test_twelve_equal_calls_that_fail_passingly_are_a_loop(result: str) -> None:
    call = ToolCall(name="search", args={"q": "a"}, result=result)
    patient = ToolEfficiency()(AgentTrace(tool_calls=(call,) * 11))
    stuck = ToolEfficiency()(AgentTrace(tool_calls=(call,) * 12))
    assert (patient.value, patient.passed) == (1, True)
    assert stuck.passed is False
    assert [loop["rule"] for loop in stuck.details["loops"]] == ["same_call"]


def test_three_equal_calls_that_fail_for_good_are_a_loop() -> None:
    call = ToolCall(name="search", args={"q": "a"}, result="Error: invalid argument q")
    assert ToolEfficiency()(AgentTrace(tool_calls=(call,) * 3)).passed is False

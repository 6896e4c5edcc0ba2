from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.store import Store, opened

from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.references.rules import References
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.model import ExpectedCall, Reference

RUN = {"agent_name": "checkout", "service_name": "shop", "input": "Please refund order A1"}
CORRECTNESS = configure("tool_correctness", only_with_reference=True)
VALIDITY = configure("tool_call_validity")

REFUND = """
    rules:
      - name: refund
        when: {agent: check*, input: "(?i)refund"}
        expected_tool_calls:
          - {name: lookup_order, args: {order_id: A1}}
          - {tool: refund, input: any, max_duration_ms: 500}
        tasks: refund the order
      - name: everything
        expected_tool_calls: [search]
"""

TRAJECTORY = [
    {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": '{"to": "Paris"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "3 trains"},
    {"role": "assistant", "content": "There are three trains."},
]


def load_references(folder: Path, text: str, **how: Any) -> References:
    path = folder / "references.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return References.read(path, **how)


def expected(references: References, *, run: Mapping[str, Any] = RUN, **attributes: Any) -> Reference:
    """What is expected of `run`, whose agent span has attributes `tracegrade.<name>`."""
    recorded = {f"tracegrade.{name}": value for name, value in attributes.items()}
    reference = references.of(run, recorded, lambda _: True)
    assert reference is not None
    return reference


def list_expected_tools(reference: Reference) -> list[str]:
    return [call.name for call in reference.expected_tool_calls or ()]


def test_first_rule_that_matches_says_what_is_expected(tmp_path: Path) -> None:
    reference = expected(load_references(tmp_path, REFUND))
    assert list_expected_tools(reference) == ["lookup_order", "refund"]
    assert [call.args for call in reference.expected_tool_calls or ()] == [{"order_id": "A1"}, None]
    assert reference.tasks == ("refund the order",)
    assert reference.source == "rule:refund"


def test_rules_complete_each_other_and_the_first_that_says_something_of_a_field_counts(tmp_path: Path) -> None:
    text = """
        rules:
          - {name: refund, when: {input: refund}, tasks: [refund the order]}
          - {name: other, when: {agent: support}, expected_tool_calls: [escalate]}
          - {name: shop, when: {service: shop}, expected_tool_calls: [lookup_order], tasks: [sell]}
          - {name: everything, minimums: {search: 1}, tasks: [help], expected_tool_calls: []}
    """
    reference = expected(load_references(tmp_path, text))
    assert reference.tasks == ("refund the order",)
    assert list_expected_tools(reference) == ["lookup_order"]
    assert reference.minimums == {"search": 1}
    assert reference.source == "rule:refund+rule:shop+rule:everything"


def test_condition_that_cannot_be_told_leaves_open_what_its_rule_says_and_nothing_else(tmp_path: Path) -> None:
    text = f"""
        rules:
          - {{name: first, tasks: [a]}}
          - {{name: odd, when: {{where: "x"}}, tasks: [b], expected_trajectory: {json.dumps(TRAJECTORY)}}}
          - {{name: last, expected_tool_calls: [book], minimums: {{search: 1}}}}
    """

    def is_met(rule: str) -> bool:
        raise ValueError(f"nobody can tell of {rule}")

    reference = load_references(tmp_path, text).of(RUN, {}, is_met)
    assert reference is not None
    assert {fault.field for fault in reference.faults} == {"expected_trajectory", "expected_tool_calls"}
    assert {fault.text for fault in reference.faults} == {"nobody can tell of odd"}
    assert (reference.tasks, reference.expected_tool_calls) == (("a",), None)
    assert reference.minimums == {"search": 1}


def test_condition_is_not_asked_for_where_its_rule_adds_nothing(tmp_path: Path) -> None:
    text = "rules: [{name: first, tasks: [a]}, {name: odd, when: {where: x}, tasks: [b]}]"

    def is_met(rule: str) -> bool:
        raise AssertionError(rule)

    reference = load_references(tmp_path, text).of(RUN, {}, is_met)
    assert reference is not None
    assert reference.source == "rule:first"


def test_arguments_of_a_rule_are_what_they_would_be_in_the_json_of_a_call(tmp_path: Path) -> None:
    text = """
        rules:
          - name: booking
            expected_tool_calls:
              - {name: book, args: {date: 2026-11-22, at: 12:30, seats: 2, window: true, rooms: {7: no}}}
    """
    [call] = expected(load_references(tmp_path, text)).expected_tool_calls or ()
    assert call.args == {"date": "2026-11-22", "at": "12:30", "seats": 2, "window": True, "rooms": {"7": "no"}}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"agent_name": "support"}, id="another agent"),
        pytest.param({"agent_name": None}, id="agent not recorded"),
        pytest.param({"input": "Where is my order?"}, id="another input"),
        pytest.param({"input": None}, id="input not recorded"),
    ],
)
def test_rule_is_passed_over_where_something_of_its_when_does_not_hold(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert expected(load_references(tmp_path, REFUND), run={**RUN, **changes}).source == "rule:everything"


@pytest.mark.parametrize(
    ("recorded", "source"),
    [
        pytest.param({"tenant": "acme"}, "rule:acme", id="as asked"),
        pytest.param({"tenant": "other"}, None, id="another value"),
        pytest.param({}, None, id="not recorded"),
    ],
)
def test_rule_may_ask_for_attributes(tmp_path: Path, recorded: dict[str, Any], source: str | None) -> None:
    rules = load_references(tmp_path, "rules: [{name: acme, when: {attributes: {tenant: acme}}, tasks: [a]}]")
    reference = rules.of(RUN, recorded, lambda _: True)
    assert (reference.source if reference else None) == source


def test_agent_itself_is_heard_before_the_rules_where_it_is_trusted_more(tmp_path: Path) -> None:
    own = json.dumps([{"name": "cancel"}])
    reference = expected(load_references(tmp_path, REFUND, sources=["attributes", "rule"]), expected_tool_calls=own)
    assert list_expected_tools(reference) == ["cancel"]
    assert reference.tasks == ("refund the order",)
    assert reference.source == "attributes+rule:refund"


@pytest.mark.parametrize(
    "tasks", [["find it", "buy it"], '["find it", "buy it"]'], ids=["array of texts", "array as JSON text"]
)
def test_attribute_may_be_structured_or_json(tasks: Any) -> None:
    assert expected(References(), tasks=tasks).tasks == ("find it", "buy it")


def test_expecting_no_call_is_not_the_same_as_expecting_nothing() -> None:
    assert expected(References(), expected_tool_calls="[]").expected_tool_calls == ()


def test_expected_trajectory_says_which_calls_are_expected_where_nobody_lists_them(tmp_path: Path) -> None:
    recorded = expected(References(), expected_trajectory=json.dumps(TRAJECTORY))
    assert recorded.expected_tool_calls == (ExpectedCall(name="search", args={"to": "Paris"}, result="3 trains"),)
    rules = {"rules": [{"name": "trips", "expected_trajectory": TRAJECTORY}]}
    ruled = expected(load_references(tmp_path, json.dumps(rules)))
    assert (ruled.source, ruled.hash) == ("rule:trips", recorded.hash)
    assert ruled.expected_trajectory == recorded.expected_trajectory


@pytest.mark.parametrize(
    ("listed", "calls"),
    [
        pytest.param("[]", (), id="no call"),
        pytest.param('["book"]', (ExpectedCall(name="book"),), id="another call"),
        pytest.param("book", None, id="nothing that can be read"),
    ],
)
def test_calls_that_are_listed_count_and_not_those_of_the_trajectory(listed: str, calls: object) -> None:
    reference = expected(References(), expected_tool_calls=listed, expected_trajectory=json.dumps(TRAJECTORY))
    assert reference.expected_tool_calls == calls


def test_expected_trajectory_without_calls_does_not_say_that_none_are_expected() -> None:
    assert expected(References(), expected_trajectory=json.dumps(TRAJECTORY[2:])).expected_tool_calls is None


def test_attribute_that_cannot_be_read_is_a_fault_and_the_others_count() -> None:
    reference = expected(References(), expected_tool_calls="search", tasks="buy it")
    assert reference.expected_tool_calls is None
    assert reference.tasks == ("buy it",)
    (fault,) = reference.faults
    assert fault.field == "expected_tool_calls"
    assert fault.text.startswith("the attribute tracegrade.expected_tool_calls cannot be read: expected_tool_calls is")


def test_field_that_the_agent_meant_to_say_does_not_fall_back_to_the_rule(tmp_path: Path) -> None:
    reference = expected(
        load_references(tmp_path, REFUND, sources=["attributes", "rule"]), expected_tool_calls="cancel"
    )
    assert reference.expected_tool_calls is None
    assert reference.tasks == ("refund the order",)


@pytest.mark.parametrize(
    ("attribute", "value", "pattern"),
    [
        pytest.param("expected_tool_calls", '[{"name": "a"', "no JSON: .* at character 14 of 13", id="cut off"),
        pytest.param("expected_tool_calls", ["{"], "no JSON: .* at character 2", id="a text of an array cut off"),
        pytest.param("tasks", '["buy it", "se', "no JSON: .* at character", id="texts cut off"),
        pytest.param("minimums", '{"search": -1}', "search: it is -1; write 0 or more", id="negative minimum"),
        pytest.param("minimums", "search", "it is 'search'; write a mapping", id="no mapping"),
        pytest.param("expected_calls", "[]", "unknown .*expected_calls .*'expected_tool_calls'", id="misspelt"),
        pytest.param("zzz", "[]", "unknown attribute tracegrade.zzz$", id="like nothing"),
    ],
)
def test_fault_of_an_attribute_says_what_is_wrong(attribute: str, value: Any, pattern: str) -> None:
    (fault,) = expected(References(), **{attribute: value}).faults
    assert re.search(pattern, fault.text), fault.text


def test_attributes_of_ours_that_say_nothing_of_expectations_are_no_faults() -> None:
    attributes = {"tracegrade.gaps": ["x"], "tracegrade.evaluation.id": "y"}
    assert References().of(RUN, attributes, lambda _: True) is None


def test_attribute_may_be_an_array_of_json_texts_as_opentelemetry_has_no_objects() -> None:
    reference = expected(References(), expected_tool_calls=['{"name": "search"}', "book"], tasks=["{curly}"])
    assert list_expected_tools(reference) == ["search", "book"]
    assert reference.tasks == ("{curly}",)


def test_expected_response_that_is_json_stays_the_text_that_it_is() -> None:
    assert expected(References(), expected_response='{"ok": true}').expected_response == '{"ok": true}'


def test_nobody_who_says_anything_means_no_reference() -> None:
    assert References().of(RUN, {"other": 1}, lambda _: True) is None


def test_same_expectation_has_the_same_hash_whoever_says_it(tmp_path: Path) -> None:
    ruled = expected(load_references(tmp_path, "rules: [{name: one, tasks: [buy it]}]"))
    recorded = expected(References(), tasks="buy it")
    assert ruled.hash == recorded.hash != expected(References(), tasks="sell it").hash


def test_registry_gives_the_tools_of_an_agent_inline_or_from_a_file(tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object"}}}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    registry = load_references(tmp_path, "tools: {checkout: tools.json, '*': [{name: search, inputSchema: {}}]}")
    of_checkout, of_other = expected(registry), expected(registry, run={**RUN, "agent_name": "other"})
    assert [[tool.name for tool in reference.tools or ()] for reference in (of_checkout, of_other)] == [
        ["refund"],
        ["search"],
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("rules:\n  - name: a\n    taks: [x]\n", ["line 3", "taks", "'tasks'"], id="unknown key"),
        pytest.param(
            "rules:\n  - name: a\n    when:\n      agnet: x\n", ["line 4", "agnet", "'agent'"], id="unknown in when"
        ),
        pytest.param("rules:\n  - tasks: [x]\n", ["line 2", "name"], id="rule without a name"),
        pytest.param(
            "rules:\n  - name: a\n    when: {input: '('}\n",
            ["line 3", "'(' is not a regular expression: missing )"],
            id="no pattern",
        ),
        pytest.param(
            "rules: [{name: a, tasks: x}, \n  {name: a, tasks: x}]\n", ["line 2", "'a'"], id="two of one name"
        ),
        pytest.param("rules:\n  - name: a\n    when: {agent: x}\n", ["line 2", "'a' says nothing"], id="says nothing"),
        pytest.param(
            "rules:\n  - name: a\n    minimums:\n      search: -1\n", ["line 4", "write 0 or more"], id="negative"
        ),
        pytest.param("rules:\n  - name: a\n    minimums: 2\n", ["line 3", "write a mapping"], id="no mapping"),
        pytest.param(
            "rules:\n  - name: a\n    tasks: x\n    name: b\n", ["line 4", "'name'", "line 2"], id="key twice"
        ),
        pytest.param(
            "rules:\n  - name: a\n    expected_tool_calls:\n      - {arguments: {}}\n",
            ["line 3", "expected_tool_calls[0]", "name"],
            id="call without a name",
        ),
        pytest.param(
            "rules:\n  - name: a\n    expected: [{name: x}]\n",
            ["line 3", "'expected_tool_calls'"],
            id="calls of others",
        ),
        pytest.param("tools:\n  checkout: nowhere.json\n", ["line 2", "nowhere.json"], id="file that is not there"),
        pytest.param("tools:\n  checkout: [{}]\n", ["line 2", "tools[0]"], id="tool without a name"),
        pytest.param("rules: [", ["line 1", "not valid YAML or JSON"], id="no YAML"),
    ],
)
def test_file_that_cannot_be_used_is_refused_with_line_and_word(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(BadConfiguration) as refusal:
        load_references(tmp_path, text)
    assert all(word in str(refusal.value) for word in words), str(refusal.value)


def evaluate_run(store: Store, *spans: Any, columns: str) -> list[tuple[Any, ...]]:
    """The scores on a run of these spans."""
    evaluators = [CORRECTNESS, VALIDITY]
    store.ledger.enrol(evaluators)
    store.arrive(spans or agent_spans.trip())
    store.revise(1)
    store.evaluate(*evaluators)
    return store.rows(f"select {columns} from latest_scores order by evaluator desc")


def test_run_is_judged_against_the_rule_that_matches_it(tmp_path: Path) -> None:
    rules = load_references(
        tmp_path, "rules: [{name: trips, when: {agent: travel}, expected_tool_calls: [search, book]}]"
    )
    with opened(tmp_path, references=rules) as store:
        correctness, _ = evaluate_run(store, columns="evaluator, value, reference_source, reference_hash is not null")
        assert correctness == ("tool_correctness", pytest.approx(2 / 3), "rule:trips", True)


def test_run_is_judged_against_what_its_agent_span_says(tmp_path: Path) -> None:
    attributes = {"tracegrade.expected_tool_calls": '[{"name": "search", "args": {"to": "Paris"}}]'}
    agent, *rest = agent_spans.trip()
    with opened(tmp_path) as store:
        root = agent_spans.agent(1, attributes={**agent.attributes, **attributes})
        correctness, _ = evaluate_run(store, root, *rest, columns="evaluator, value, reference_source")
        assert correctness == ("tool_correctness", 1.0, "attributes")


def test_run_is_compared_with_the_calls_of_the_trajectory_that_was_expected(tmp_path: Path) -> None:
    agent, *rest = agent_spans.trip()
    attributes = {"tracegrade.expected_trajectory": json.dumps(TRAJECTORY)}
    with opened(tmp_path) as store:
        root = agent_spans.agent(1, attributes={**agent.attributes, **attributes})
        correctness, _ = evaluate_run(store, root, *rest, columns="evaluator, value, reference_source")
        assert correctness == ("tool_correctness", 1.0, "attributes")


def test_run_of_which_nobody_expects_anything_gets_no_row_from_those_that_compare(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert evaluate_run(store, columns="evaluator") == [("tool_call_validity",)]


def test_tools_of_the_registry_are_no_expectation_of_calls_but_make_validity_possible(tmp_path: Path) -> None:
    schema = "{type: object, required: [from], properties: {from: {type: string}}}"
    registry = load_references(tmp_path, f"tools: {{travel: [{{name: search, input_schema: {schema}}}]}}")
    with opened(tmp_path, references=registry) as store:
        assert evaluate_run(store, columns="evaluator, value") == [("tool_call_validity", 0.0)]


def test_expectation_that_cannot_be_read_is_named_in_the_score(tmp_path: Path) -> None:
    agent, *rest = agent_spans.trip()
    with opened(tmp_path) as store:
        root = agent_spans.agent(1, attributes={**agent.attributes, "tracegrade.expected_tool_calls": "search"})
        correctness, _ = evaluate_run(store, root, *rest, columns="status, reason")
        assert correctness[0] == "skipped"
        assert "tracegrade.expected_tool_calls" in correctness[1]


@pytest.mark.parametrize(
    ("condition", "source"),
    [
        pytest.param("tool_call_count = 1 and agent_name = 'travel'", "rule:few", id="holds"),
        pytest.param("tool_call_count > 1", "rule:others", id="does not hold"),
        pytest.param("tool_call_count = 1 -- one", "rule:few", id="ends in a comment"),
    ],
)
def test_rule_may_have_a_condition_in_sql(tmp_path: Path, condition: str, source: str) -> None:
    rules = f"""
        rules:
          - {{name: few, when: {{where: "{condition}"}}, expected_tool_calls: [search]}}
          - {{name: others, expected_tool_calls: []}}
    """
    with opened(tmp_path, references=load_references(tmp_path, rules)) as store:
        assert evaluate_run(store, columns="reference_source")[0] == (source,)


@pytest.mark.parametrize("condition", ["no_such_column = 1", "1 = 1; select 1", "delete from spans"])
def test_condition_that_cannot_be_used_is_refused_at_the_start(tmp_path: Path, condition: str) -> None:
    rules = load_references(tmp_path, f"rules: [{{name: odd, when: {{where: '{condition}'}}, tasks: [x]}}]")
    with (
        pytest.raises(BadConfiguration, match=r"references\.yaml, line 1: rule 'odd': its condition"),
        opened(tmp_path, references=rules),
    ):
        pass


def test_condition_that_fails_on_a_run_leaves_it_without_a_rule_and_says_so(tmp_path: Path) -> None:
    rules = load_references(
        tmp_path, "rules: [{name: odd, when: {where: 'input::integer > 1'}, expected_tool_calls: [search]}]"
    )
    with opened(tmp_path, references=rules) as store:
        correctness, validity = evaluate_run(store, columns="status, reason")
        assert correctness[0] == "skipped"
        assert "'odd'" in correctness[1]
        assert validity[0] == "skipped"

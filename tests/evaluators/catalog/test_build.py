from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.modules import working_in

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.catalog.specification import Spec, WrongSpec
from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.custom.combine import with_members
from tracegrade.evaluators.custom.user_code import is_foreign
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.execution.run import InProcessWorkbench, evaluate
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, ToolCall

RULES = """
    def judge(trace, *, most=1):
        return len(trace.tool_calls) <= most

    def by_call(trace):
        return [call.name == "own" for call in trace.tool_calls]
"""
QUERY = "select agent_trace_id, 1 as value from due"

WHOLE = AgentTrace(
    agent_trace_id="t-1",
    tool_calls=(
        ToolCall(name="handed over", child_agent_trace_id="t-2", args={}, result="a"),
        ToolCall(name="own", args={}, result="b"),
        ToolCall(name="handed over", child_agent_trace_id="t-2", args={}, error="broken", status="error"),
        ToolCall(name="own", args={}, result="c"),
    ),
)

MEAN = {"how": "mean", "of": {"errors": 2, "repeats": 1}}
MEMBERS: dict[str, Spec] = {
    "errors": {"use": "tool_error", "name": "errors", "threshold": 0.5},
    "repeats": {"use": "tool_efficiency", "name": "repeats"},
}

SPECS: dict[str, Spec] = {
    "use": {"use": "dokimos:tool_efficiency", "options": {"argument_matcher": "IGNORE"}, "threshold": 0.5},
    "defaults": {"use": "tool_correctness", "only_with_reference": True},
    "python": {"python": "rules:judge", "options": {"most": 2}, "name": "few"},
    "sql": {"sql": QUERY, "name": "slow"},
    "command": {"command": ["cat", "-"], "name": "legacy", "options": {"level": 3}},
    "combine": {"combine": {**MEAN, "members": MEMBERS}, "name": "health"},
    "tools": {"python": "rules:judge", "scope": "tool", "name": "tools"},
    "session": {"use": "tool_efficiency", "scope": "session", "name": "conversations"},
    "asked": {
        "use": "tool_error",
        "when": "agent_name = 'checkout'",
        "sample": 0.25,
        "schedule": "*/5 * * * *",
        "backfill_s": 3600.0,
        "timeout_s": 2.5,
        "include_sub_agents": False,
    },
}


def as_dicts(value: object) -> list[dict[str, Any]]:
    assert isinstance(value, list)
    return value


def catch_refusal(spec: Spec) -> WrongSpec:
    with pytest.raises(WrongSpec) as refusal:
        build(spec, resolve=import_function)
    return refusal.value


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_another_process_builds_the_same_from_the_spec(tmp_path: Path, spec: Spec) -> None:
    with working_in(tmp_path, rules=RULES):
        made = build(spec, resolve=import_function)
        again = build(json.loads(json.dumps(made.spec)), resolve=import_function)
        known = [name for name in made.__dataclass_fields__ if name not in {"function", "options", "spec"}]
        assert {name: getattr(made, name) for name in known} == {name: getattr(again, name) for name in known}


@pytest.mark.parametrize(
    ("way", "kind", "type_"),
    [
        ("use", "code", "dokimos:tool_efficiency"),
        ("python", "code", "rules:judge"),
        ("sql", "sql", "sql"),
        ("command", "code", "command"),
        ("combine", "code", "combine"),
    ],
)
def test_scores_say_what_kind_of_evaluator_gave_them(tmp_path: Path, way: str, kind: str, type_: str) -> None:
    with working_in(tmp_path, rules=RULES):
        made = build(SPECS[way], resolve=import_function)
        assert (made.kind, made.type, made.version) == (kind, type_, 1)


def test_what_is_asked_stands_on_the_evaluator() -> None:
    made = build(SPECS["asked"], resolve=import_function)
    assert (made.when, made.sample, made.schedule) == ("agent_name = 'checkout'", 0.25, "*/5 * * * *")
    assert (made.backfill_s, made.timeout_s, made.include_sub_agents) == (3600.0, 2.5, False)


def test_what_is_not_asked_has_its_usual_value(tmp_path: Path) -> None:
    with working_in(tmp_path, rules=RULES):
        made = build({"python": "rules:judge"}, resolve=import_function)
    assert (made.name, made.threshold, made.scope, made.timeout_s) == ("judge", 1.0, "trace", 10.0)
    assert (made.when, made.sample, made.schedule, made.backfill_s) == (None, 1.0, None, None)


def test_sql_sets_itself_no_time_limit_of_an_evaluation() -> None:
    assert build(SPECS["sql"], resolve=import_function).timeout_s is None


@pytest.mark.parametrize(
    "changed",
    [{"when": "true"}, {"sample": 0.5}, {"schedule": "5m"}, {"timeout_s": 1.0}, {"backfill_s": 60.0}, {"name": "new"}],
    ids=lambda one: next(iter(one)),
)
@pytest.mark.parametrize("way", ["use", "python", "sql", "command", "combine"])
def test_when_an_evaluator_is_asked_makes_it_no_other(tmp_path: Path, way: str, changed: dict[str, Any]) -> None:
    with working_in(tmp_path, rules=RULES):
        assert (
            build({**SPECS[way], **changed}, resolve=import_function).config_hash
            == build(SPECS[way], resolve=import_function).config_hash
        )


@pytest.mark.parametrize(
    ("way", "changed"),
    [
        pytest.param("use", {"threshold": 0.6}, id="threshold"),
        pytest.param("use", {"options": {}}, id="options"),
        pytest.param("use", {"use": "tool_error", "options": {}}, id="type"),
        pytest.param("use", {"include_sub_agents": False}, id="sub-agents"),
        pytest.param("use", {"scope": "session"}, id="session"),
        pytest.param("python", {"python": "rules:by_call", "options": {}}, id="function"),
        pytest.param("python", {"options": {"most": 3}}, id="options-of-a-function"),
        pytest.param("python", {"scope": "tool_call"}, id="scope"),
        pytest.param("sql", {"sql": QUERY.replace("1", "0")}, id="query"),
        pytest.param("sql", {"threshold": 0.1}, id="threshold-of-a-query"),
        pytest.param("command", {"command": ["cat"]}, id="arguments"),
        pytest.param("command", {"options": {"level": 4}}, id="options-of-a-command"),
        pytest.param("combine", {"combine": {**MEAN, "how": "min", "of": ["errors"], "members": MEMBERS}}, id="how"),
        pytest.param(
            "combine", {"combine": {**MEAN, "of": {"errors": 1, "repeats": 1}, "members": MEMBERS}}, id="weight"
        ),
        pytest.param(
            "combine",
            {"combine": {**MEAN, "members": {**MEMBERS, "errors": {"use": "tool_error", "name": "errors"}}}},
            id="member",
        ),
    ],
)
def test_what_it_says_makes_an_evaluator_another(tmp_path: Path, way: str, changed: dict[str, Any]) -> None:
    with working_in(tmp_path, rules=RULES):
        assert (
            build({**SPECS[way], **changed}, resolve=import_function).config_hash
            != build(SPECS[way], resolve=import_function).config_hash
        )


def test_evaluator_of_the_catalogue_is_the_same_whoever_makes_it() -> None:
    assert build({"use": "tool_error"}).config_hash == configure("tool_error").config_hash


def test_query_stands_in_a_file_or_in_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "slow.sql").write_text(QUERY, encoding="utf-8")
    with working_in(tmp_path):
        from_file = build({"sql": "slow.sql", "name": "slow"}, resolve=import_function)
    assert (from_file.sql, from_file.spec["sql"]) == (QUERY, QUERY)
    assert from_file.config_hash == build({"sql": QUERY, "name": "slow"}, resolve=import_function).config_hash


def test_long_query_on_one_line_is_no_name_of_a_file() -> None:
    query = f"select agent_trace_id, {' + '.join('1' * 300)} as value from due"
    assert build({"sql": query, "name": "slow"}, resolve=import_function).sql == query


def test_sql_judges_no_run_by_itself() -> None:
    [score] = evaluate(build(SPECS["sql"], resolve=import_function), WHOLE)
    assert (score.status, score.evaluator_kind) == ("error", "sql")
    assert "runs as a query in the store" in (score.reason or "")


@pytest.mark.parametrize(
    ("spec", "keys", "why"),
    [
        pytest.param({}, (), "exactly one of use, python, sql, command, combine", id="nothing"),
        pytest.param({"use": "a", "sql": "b"}, (), "combine, not use and sql", id="two-ways"),
        pytest.param({"use": "tool_eror"}, ("use",), "did you mean 'tool_error'?", id="unknown"),
        pytest.param({"use": "tool_error", "options": {"blnak": 1}}, ("options", "blnak"), "'blank'", id="option"),
        pytest.param({"use": "tool_error", "scope": "tool"}, ("scope",), "leave `scope` out", id="scope"),
        pytest.param(
            {"use": "geval", "scope": "tool_call", "options": {"criteria": "x"}},
            ("scope",),
            "geval evaluates in scope trace or session; leave `scope` out for trace",
            id="scope-of-one-that-asks",
        ),
        pytest.param(
            {"use": "tool_name_reliability", "scope": "session"},
            ("scope",),
            "leave `scope` out",
            id="tools-of-sessions",
        ),
        pytest.param(
            {"use": "rubric", "threshold": 0.2, "options": {"criteria": "x", "pass_mark": 4}},
            ("threshold",),
            "which run passes; change that, and leave `threshold` out",
            id="threshold-beside-a-pass-mark",
        ),
        pytest.param({"python": "no_such:x"}, ("python",), "no module 'no_such'", id="module"),
        pytest.param({"sql": QUERY}, ("name",), "give it a `name`", id="nameless-query"),
        pytest.param({"sql": "slow.sql", "name": "a"}, ("sql",), "there is no file 'slow.sql'", id="no-file"),
        pytest.param({"sql": ".", "name": "a"}, ("sql",), "cannot be read", id="folder"),
        pytest.param({"sql": QUERY, "name": "a", "options": {"x": 1}}, ("options",), "no options", id="sql-options"),
        pytest.param({"sql": QUERY, "name": "a", "scope": "session"}, ("scope",), "leave `scope` out", id="sql-scope"),
        pytest.param({"command": ["./no.sh"], "name": "a"}, ("command",), "no program './no.sh'", id="no-program"),
        pytest.param({"command": [], "name": "a"}, ("command",), "a list of words", id="no-words"),
        pytest.param({"command": ["cat"]}, ("name",), "give it a `name`", id="nameless-command"),
    ],
)
def test_wrong_spec_is_told_with_the_place_and_what_to_write(spec: Spec, keys: tuple[str, ...], why: str) -> None:
    [(place, text)] = catch_refusal(spec).faults
    assert place == keys
    assert why in text


@pytest.mark.parametrize(
    ("spec", "keys", "said"),
    [
        ({"treshold": 1}, ("treshold",), "there is no key 'treshold' (did you mean 'threshold'?)"),
        ({"timeout": "5s"}, ("timeout",), "there is no key 'timeout' (did you mean 'timeout_s'?)"),
        (
            {"xyz": 1},
            ("xyz",),
            "there is no key 'xyz' (known here: use, python, sql, command, combine, name, options, ",
        ),
        ({"blank": True}, ("blank",), "it is an option of tool_error; write it in `options`, as {blank: …}"),
        ({"mcp_is_eror": True}, ("mcp_is_eror",), "(did you mean 'mcp_is_error'?); write it in `options`"),
        ({"options": ["blank"]}, ("options",), "`options`: it is a list; write a mapping"),
        ({"options": {"threshold": 0.5}}, ("options", "threshold"), "belongs to the entry of the evaluator, beside"),
        ({"threshold": "0.5"}, ("threshold",), "the threshold of tool_error is '0.5'; write a number from 0 to 1"),
        ({"sample": "0.5"}, ("sample",), "`sample`: it is '0.5'; write a number"),
        ({"sample": 2}, ("sample",), "`sample`: it is 2; write a number from 0 to 1"),
        ({"after": "other"}, ("after",), "`after`: it is text; write a list: ['other']"),
        ({"name": 3}, ("name",), "`name`: it is a number; write text"),
        ({"scope": "sesion"}, ("scope",), "write trace, tool_call, session or tool (did you mean 'session'?)"),
        ({"use": as_dicts}, ("use",), "it is a function; name it as text, {'python': "),
    ],
    ids=[
        "misspelt",
        "time without its unit",
        "unlike any",
        "option",
        "nearly an option",
        "list of options",
        "threshold among the options",
        "text for the threshold",
        "text for a share",
        "share above 1",
        "text for a list",
        "number for a name",
        "misspelt scope",
        "function for a name",
    ],
)
def test_key_or_value_that_a_spec_cannot_have_is_refused(spec: Spec, keys: tuple[str, ...], said: str) -> None:
    [(place, text)] = catch_refusal({"use": "tool_error", **spec}).faults
    assert place == keys
    assert said in text


@pytest.mark.parametrize(
    "spec",
    [
        {"sql": QUERY, "name": "a", "threshold": float("nan")},
        {"command": ["cat"], "name": "a", "threshold": 2},
        {"combine": {"how": "min", "of": ["errors"], "members": MEMBERS}, "name": "a", "threshold": True},
    ],
    ids=["sql", "command", "combine"],
)
def test_threshold_of_what_stands_in_no_catalogue_is_looked_at_too(spec: Spec) -> None:
    [(place, text)] = catch_refusal(spec).faults
    assert place == ("threshold",)
    assert text.startswith("the threshold of a is ")
    assert text.endswith("; write a number from 0 to 1")


@pytest.mark.parametrize("given", ["tool_error", [1]], ids=["name alone", "list"])
def test_what_is_not_a_mapping_is_no_spec(given: Any) -> None:
    assert "an evaluator is specified by a mapping, not a" in str(catch_refusal(given))


def test_every_fault_of_the_options_is_told() -> None:
    refusal = catch_refusal({"use": "tool_error", "options": {"blnak": 1, "statsu": 1}})
    assert [keys for keys, _ in refusal.faults] == [("options", "blnak"), ("options", "statsu")]


@pytest.mark.parametrize(("include", "value"), [(True, 0.75), (False, 1.0)], ids=["whole", "own-calls"])
def test_run_is_judged_with_or_without_what_its_sub_agents_did(include: bool, value: float) -> None:  # noqa: FBT001
    [score] = evaluate(build({"use": "tool_error", "include_sub_agents": include}), WHOLE)
    assert (score.value, score.target_id) == (value, "t-1")


DELEGATING = AgentTrace(
    agent_trace_id="t-1",
    tool_calls=(
        ToolCall(name="delegate", args={}, result="a"),
        ToolCall(name="book", child_agent_trace_id="t-2", args={}, error="broken", status="error"),
    ),
    reference=Reference(expected_tool_calls=(ExpectedCall(name="delegate"),)),
)


def test_failure_of_a_sub_agent_counts_for_the_whole_though_the_run_called_a_tool_itself() -> None:
    values = [
        evaluate(build({"use": "tool_error", **said}), DELEGATING)[0].value
        for said in ({}, {"include_sub_agents": True}, {"include_sub_agents": False})
    ]
    assert values == [0.5, 0.5, 1.0]


def test_what_was_expected_of_a_run_is_compared_with_its_own_calls_unless_all_are_asked_for() -> None:
    values = [
        evaluate(build({"use": "tool_trajectory", "options": {"mode": "strict"}, **said}), DELEGATING)[0].value
        for said in ({}, {"include_sub_agents": False}, {"include_sub_agents": True})
    ]
    assert values[0] == values[1] == 1.0
    assert values[2] != 1.0


def test_each_call_is_judged_in_the_run_that_made_it(tmp_path: Path) -> None:
    with working_in(tmp_path, rules=RULES):
        judge = build({"python": "rules:by_call", "scope": "tool_call"}, resolve=import_function)
        assert [score.tool_call_position for score in evaluate(judge, DELEGATING)] == [0]


def test_evaluator_of_runs_judges_a_session_as_a_whole_and_tells_of_its_turns() -> None:
    turns = WHOLE, AgentTrace(agent_trace_id="t-3"), AgentTrace(agent_trace_id="t-4", tool_calls=WHOLE.tool_calls[:2])
    judge = build({"use": "tool_error", "scope": "session"})
    [score] = evaluate(judge, ConversationTrajectory(turns))
    assert (score.scope, score.value) == ("session", 5 / 6)
    assert score.details["mean"] == (0.75 + 1.0) / 2
    assert [(one["agent_trace_id"], one["value"], one["status"]) for one in as_dicts(score.details["turns"])] == [
        ("t-1", 0.75, "scored"),
        ("t-3", None, "skipped"),
        ("t-4", 1.0, "scored"),
    ]
    assert not is_foreign(judge)


def test_session_may_be_judged_without_what_sub_agents_did() -> None:
    judge = build({"use": "tool_error", "scope": "session", "include_sub_agents": False})
    [score] = evaluate(judge, ConversationTrajectory((WHOLE,)))
    assert (score.value, score.details["mean"]) == (1.0, 1.0)


def test_class_of_somebody_elses_judges_turns_too_and_one_that_fails_is_told(tmp_path: Path) -> None:
    rules = """
        from tracegrade.evaluators.definition.registry import Options

        class Last(Options):
            most: int = 1

            def __call__(self, trace):
                return trace.tool_calls[self.most].name == "own"
    """
    with working_in(tmp_path, rules=rules):
        judge = build({"python": "rules:Last", "scope": "session"}, resolve=import_function)
        [score] = evaluate(judge, ConversationTrajectory((WHOLE, AgentTrace(agent_trace_id="t-3"))))
        assert is_foreign(judge)
    assert (score.value, score.details["mean"]) == (1.0, 1.0)
    assert as_dicts(score.details["turns"])[1] == {
        "agent_trace_id": "t-3",
        "value": None,
        "status": "error",
        "reason": "IndexError: tuple index out of range",
    }


def test_scores_on_own_calls_name_the_calls_as_they_are_stored(tmp_path: Path) -> None:
    spec = {"python": "rules:by_call", "scope": "tool_call", "include_sub_agents": False}
    with working_in(tmp_path, rules=RULES):
        scores = InProcessWorkbench().evaluate([WHOLE], [build(spec, resolve=import_function)])
    assert [(one.tool_call_position, one.target_id, one.value) for one in scores] == [
        (1, "t-1#1", 1.0),
        (3, "t-1#3", 1.0),
    ]


def test_run_that_only_handed_over_has_no_calls_of_its_own(tmp_path: Path) -> None:
    handed_over = WHOLE.model_copy(update={"tool_calls": WHOLE.tool_calls[:1]})
    spec = {"python": "rules:by_call", "scope": "tool_call", "include_sub_agents": False}
    with working_in(tmp_path, rules=RULES):
        [score] = evaluate(build(spec, resolve=import_function), handed_over)
    assert (score.status, score.reason) == ("skipped", "the run has no tool calls")


def test_spec_without_members_is_its_own() -> None:
    assert with_members("use", SPECS["use"], SPECS) == SPECS["use"]

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from tests.support.modules import working_in

from tracegrade.collector.settings import BadConfiguration, configured, load


def written(folder: Path, text: str) -> Path:
    path = folder / "tracegrade.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("stroe: x\n", ["line 1", "stroe", "'store'"], id="unknown setting"),
        pytest.param("listen:\n  gprc: x\n", ["line 2", "listen.gprc", "'grpc'"], id="unknown in a section"),
        pytest.param("assembly:\n  grace: soon\n", ["line 2", "assembly.grace", "250ms"], id="no duration"),
        pytest.param(
            "evaluators:\n  - use: defaults\n  - use: tool_eror\n", ["line 3", "'tool_error'"], id="no such evaluator"
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    options:\n      blnak: true\n",
            ["line 4", "'blnak'", "'blank'"],
            id="unknown option",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_trajectory\n    options:\n      argument_matcher:\n        triM: true\n",
            ["line 5", "'argument_matcher.triM'", "'trim'"],
            id="unknown option inside an option",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_trajectory\n    options: {mode: sorted}\n",
            ["line 3", "'mode'", "in_order"],
            id="option of the wrong kind",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    treshold: 1\n",
            ["line 3", "treshold", "'threshold'"],
            id="in an entry",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n  - use: tool_error\n", ["line 3", "two are called"], id="a name twice"
        ),
        pytest.param(
            "evaluators:\n  - use: defaults\n  - use: tool_error\n",
            ["line 3", "`defaults` already holds 'tool_error'"],
            id="a name that the defaults hold",
        ),
        pytest.param(
            "evaluators:\n  - use: defaults\n    threshold: 1\n", ["line 2", "stands alone"], id="defaults with more"
        ),
        pytest.param("evaluators: [", ["line 1", "neither JSON nor YAML"], id="no YAML"),
        pytest.param("store: a\nlisten: {}\nstore: b\n", ["line 3", "'store'", "line 1"], id="a key twice"),
        pytest.param(
            "token: 1234\n", ["line 1", "token: it is a number; write text, in quotes"], id="token in no quotes"
        ),
        pytest.param("listen: 4317\n", ["line 1", "listen", "it is 4317; write a mapping"], id="no section"),
        pytest.param(
            "evaluators:\n  - {use: 'gl:agent', options: {generation: 'mygen:grade'}}\n",
            ["line 2", "mygen is not importable: put its folder on PYTHONPATH"],
            id="module that is not there",
        ),
        pytest.param("evaluators:\n  - name: x\n", ["line 2", "exactly one of use, python, sql"], id="no evaluator"),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    sql: select 1\n", ["line 2", "not use and sql"], id="two evaluators"
        ),
        pytest.param(
            "evaluators:\n  - pyhton: a:b\n", ["line 2", "pyhton", "'python'"], id="misspelt kind of evaluator"
        ),
        pytest.param("evaluators:\n  - {name: a, python: 'no_such:b'}\n", ["line 2", "no_such"], id="no module"),
        pytest.param("evaluators:\n  - sql: select 1\n", ["line 2", "give it a `name`"], id="without a name"),
        pytest.param(
            "evaluators:\n  - name: a\n    sql: slow.sql\n", ["line 3", "no file 'slow.sql'"], id="no file of SQL"
        ),
        pytest.param(
            "evaluators:\n  - name: a\n    command: ./judge.sh -v\n",
            ["line 3", "no shell", "[./judge.sh, -v]"],
            id="command for a shell",
        ),
        pytest.param(
            "evaluators:\n  - name: a\n    command: [./judge.sh]\n", ["line 3", "'./judge.sh'"], id="no program"
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n  - name: a\n    combine:\n      of:\n        tool_eror: 1\n",
            ["line 6", "'tool_error'"],
            id="no member of that name",
        ),
        pytest.param(
            "evaluators:\n  - name: a\n    combine:\n      how: sum\n      of: [b]\n",
            ["line 4", "combine.how", "'sum'; write mean, product"],
            id="combined in no known way",
        ),
        pytest.param(
            "evaluators:\n  - name: a\n    combine: {of: [b]}\n  - name: b\n    combine: {of: [a]}\n",
            ["line 3", "a combines b combines a", "line 5"],
            id="combined in a ring",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    schedule: now and then\n",
            ["line 3", "'now and then' is no schedule"],
            id="no schedule",
        ),
        pytest.param("evaluators:\n  - use: tool_error\n    sample: 2\n", ["line 3", "sample"], id="sample above one"),
        pytest.param("evaluators:\n  - use: tool_error\n    timeout: 0s\n", ["line 3", "timeout"], id="no time at all"),
        pytest.param("evaluators:\n  - use: tool_error\n    timeout: soon\n", ["line 3", "250ms"], id="no time"),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    scope: run\n",
            ["line 3", "scope", "write trace, tool_call"],
            id="no scope",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    scope: tool\n", ["line 3", "leave `scope` out"], id="other scope"
        ),
    ],
)
def test_file_that_cannot_be_used_is_refused_with_line_and_word(tmp_path: Path, text: str, said: list[str]) -> None:
    with pytest.raises(BadConfiguration) as refusal:
        load(written(tmp_path, text))
    assert all(word in str(refusal.value) for word in ("tracegrade.yaml", *said)), str(refusal.value)


def test_every_fault_of_a_file_is_told(tmp_path: Path) -> None:
    text = "evaluators:\n  - use: tool_error\n    options: {blnak: true, statsu: false}\n"
    with pytest.raises(BadConfiguration, match=r"(?s)blnak.*statsu"):
        load(written(tmp_path, text))


def test_without_a_file_the_defaults_judge(tmp_path: Path) -> None:
    judges = configured(None)
    assert {one.name: (one.scope, one.only_with_reference) for one in judges} == {
        "tool_call_validity": ("trace", False),
        "tool_error": ("trace", False),
        "tool_efficiency": ("trace", False),
        "tool_name_reliability": ("tool", False),
        "tool_description_reliability": ("tool", False),
        "tool_correctness": ("trace", True),
        "tool_trajectory": ("trace", True),
    }


def test_entries_take_the_place_of_the_defaults(tmp_path: Path) -> None:
    text = "evaluators:\n  - {use: 'deepeval:tool_correctness', name: tools, threshold: 0.8}\n"
    (judge,) = configured(load(written(tmp_path, text)).evaluators)
    assert (judge.name, judge.type, judge.threshold) == ("tools", "deepeval:tool_correctness", 0.8)


def test_entry_says_what_judges_when_and_how(tmp_path: Path) -> None:
    text = """
        evaluators:
          - use: defaults
          - name: checkout_order
            use: tool_trajectory
            options: {mode: in_order}
            threshold: 1.0
            when: "agent_name = 'checkout'"
            sample: 0.5
            schedule: "*/5 * * * *"
            backfill: 7d
            timeout: 10s
            include_sub_agents: false
          - {name: slow_tools, sql: "select agent_trace_id, 1 as value from due", schedule: 5m}
          - {name: short, python: "tests.support.deeds:deed", options: {deed: print}, scope: tool}
          - {name: legacy, command: [cat, -]}
          - {name: health, combine: {how: mean, of: {tool_error: 2, tool_call_validity: 1}}}
          - {name: worst, combine: {how: min, of: [health, tool_efficiency]}}
    """
    made = {one.name: one for one in configured(load(written(tmp_path, text)).evaluators)}
    order = made["checkout_order"]
    assert (order.when, order.sample, order.schedule) == ("agent_name = 'checkout'", 0.5, "*/5 * * * *")
    assert (order.backfill_s, order.timeout_s, order.include_sub_agents) == (604800.0, 10.0, False)
    assert {name: (made[name].type, made[name].kind) for name in ("slow_tools", "short", "legacy", "health")} == {
        "slow_tools": ("sql", "sql"),
        "short": ("tests.support.deeds:deed", "code"),
        "legacy": ("command", "code"),
        "health": ("combine", "code"),
    }
    assert list(made["worst"].spec["combine"]["members"]["health"]["combine"]["members"]) == [
        "tool_error",
        "tool_call_validity",
    ]


def test_every_faulty_entry_is_told(tmp_path: Path) -> None:
    text = "evaluators:\n  - use: tool_eror\n  - use: defaults\n  - {use: tool_error, name: a, options: {blnak: 1}}\n"
    with pytest.raises(BadConfiguration, match=r"(?s)line 2.*tool_eror.*line 4.*blnak"):
        load(written(tmp_path, text))


def test_files_and_modules_are_looked_for_in_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "slow.sql").write_text("select agent_trace_id, 1 as value\nfrom due", encoding="utf-8")
    text = "evaluators: [{name: slow, sql: slow.sql}, {python: 'house_rules:short'}]"
    with working_in(tmp_path, house_rules="def short(trace): return True"):
        slow, short = configured(load(written(tmp_path, text)).evaluators)
        assert (slow.sql, short.name) == ("select agent_trace_id, 1 as value\nfrom due", "short")

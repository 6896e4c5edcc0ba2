from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from tests.support.modules import working_in

from tracegrade.collector.client.settings import load_settings
from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.config.settings import evaluators_of, load
from tracegrade.evaluators.definition.function_path import import_function


def write_settings(folder: Path, text: str) -> Path:
    path = folder / "tracegrade.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("stroe: x\n", ["line 1", "stroe", "'store'"], id="unknown setting"),
        pytest.param("llm_config: {}\n", ["line 1", "of Floeval's configuration", "`judges`"], id="of Floeval"),
        pytest.param("execution: {}\n", ["line 1", "of an eval file of AgentV"], id="of AgentV"),
        pytest.param(
            "evaluators:\n  - use: deepeval:tool_correctness\n    options: {model: gpt-4.1}\n",
            ["line 3", "describe it under `judges`"],
            id="model among the options",
        ),
        pytest.param(
            "evaluators:\n  - use: dokimos:tool_trajectory\n    options: {argument_matcher: 'mine:match'}\n",
            ["line 3", "write {custom: mine:match} for a function of yours"],
            id="function for a mode",
        ),
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
            "evaluators:\n  - use: tool_error\n    blank: true\n",
            ["line 3", "evaluators.0.blank: it is an option of tool_error; write it in `options`, as {blank: …}"],
            id="option beside the options",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    mcp_is_eror: true\n",
            ["line 3", "(did you mean 'mcp_is_error'?); write it in `options`"],
            id="misspelt option beside the options",
        ),
        pytest.param(
            "judges: {default: {}}\nevaluators:\n  - rubric: polite.yaml\n    criteria: polite\n",
            ["line 4", "it is an option of rubric; write it in the file of the rubric"],
            id="option of a rubric beside its file",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    options:\n      threshold: 0.5\n",
            ["line 4", "`threshold` belongs to the entry of the evaluator, beside its options"],
            id="threshold among the options",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_trajectory\n    options:\n      argument_matcher:\n        pay: {trim: true}\n",
            ["line 5", "(did you mean the option 'argument_matchers'?)"],
            id="option of another name",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n  - use: tool_error\n",
            ["line 3", "two entries are called"],
            id="a name twice",
        ),
        pytest.param(
            "evaluators:\n  - use: defaults\n  - use: tool_error\n",
            ["line 3", "`defaults` already contains 'tool_error'"],
            id="a name that the defaults hold",
        ),
        pytest.param(
            "evaluators:\n  - use: defaults\n    threshold: 1\n",
            ["line 2", "has no further keys"],
            id="defaults with more",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    when: agent = 1\n",
            ["line 3", "'tool_error'", '"agent"', "agent_name"],
            id="condition on a column that does not exist",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    when: select 1\n", ["line 3", "is INTEGER"], id="query as condition"
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    when: agent_name\n",
            ["line 3", "VARCHAR", "write a condition"],
            id="condition that is none",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    when: random() < 0.5\n",
            ["line 3", "random", "`sample`"],
            id="condition that changes its mind",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_name_reliability\n    when: agent_name = 'a'\n",
            ["line 3", "evaluates each tool", "leave it out"],
            id="condition on what is no run",
        ),
        pytest.param("evaluators:\n  - {name: a, sql: selec 1 as one}\n", ["line 2", "syntax"], id="no query"),
        pytest.param(
            "evaluators:\n  - {name: a, sql: select 1 as value from due}\n",
            ["line 2", "has to return agent_trace_id"],
            id="query without runs",
        ),
        pytest.param(
            "evaluators:\n  - {name: a, sql: 'select agent_trace_id, 1 as vlaue from due'}\n",
            ["line 2", "returns neither value, label nor passed, but 'vlaue' (did you mean 'value'?); return one"],
            id="query without a score",
        ),
        pytest.param(
            "evaluators:\n  - {name: a, sql: 'select agent_trace_id from due', scope: session}\n",
            ["line 2", "a query evaluates runs; leave `scope` out"],
            id="query over sessions",
        ),
        pytest.param(
            "evaluators:\n  - {name: a, sql: delete from scores}\n", ["line 2", "refused"], id="query that writes"
        ),
        pytest.param(
            "evaluators:\n  - use: goal_achievement\n", ["line 2", "the judge 'default'", "judges:"], id="no judge"
        ),
        pytest.param(
            "judges: {default: {}}\nevaluators:\n  - use: goal_achievement\n    judge: defualt\n",
            ["line 4", "'defualt'", "'default'"],
            id="no such judge",
        ),
        pytest.param(
            "judges: {default: {}}\nevaluators:\n  - {use: tool_error, judge: default}\n",
            ["line 3", "asks no judge"],
            id="judge for one that asks none",
        ),
        pytest.param(
            "judges: {default: {}}\nevaluators:\n  - use: goal_achievement\n    timeout: 30s\n",
            ["line 4", "the judge 'default' has a `timeout`", "leave `timeout` out here"],
            id="time for one that asks a judge",
        ),
        pytest.param(
            "judges:\n  mine: {python: 'nosuch:ask'}\n",
            ["line 2", "judges.mine.python", "there is no module 'nosuch'"],
            id="judge that is nowhere",
        ),
        pytest.param(
            "judges:\n  mine: {python: 'math:pi'}\n",
            ["line 2", "judges.mine.python", "math:pi is not a function"],
            id="judge that is no function",
        ),
        pytest.param(
            "judges:\n  default: {parameters: {messages: []}}\n",
            ["line 2", "judges.default.parameters", "'messages' is set for each question"],
            id="question among the parameters",
        ),
        pytest.param(
            "judges:\n  default: {concurency: 2}\n",
            ["line 2", "judges.default.concurency", "'concurrency'"],
            id="in a judge",
        ),
        pytest.param(
            "judges:\n  default:\n    timeout: soon\n", ["line 3", "judges.default.timeout", "250ms"], id="judge's time"
        ),
        pytest.param(
            "judges: {default: {}}\nevaluators:\n  - rubric: nowhere.yaml\n",
            ["line 3", "nowhere.yaml", "cannot be read"],
            id="no such rubric",
        ),
        pytest.param("evaluators: [", ["line 1", "not valid YAML or JSON"], id="no YAML"),
        pytest.param("store: a\nlisten: {}\nstore: b\n", ["line 3", "'store'", "line 1"], id="a key twice"),
        pytest.param(
            "token: 1234\n", ["line 1", "token: it is a number; write text, in quotes"], id="token in no quotes"
        ),
        pytest.param("listen: 4317\n", ["line 1", "listen", "it is 4317; write a mapping"], id="no section"),
        pytest.param(
            "evaluators:\n  - {use: 'gl:agent', options: {generation: 'mygen:grade'}}\n",
            ["line 2", "there is no module 'mygen', neither installed nor in the working directory"],
            id="module that is not there",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    options:\n      predicate: math:sqrrt\n",
            ["line 4", "math has no 'sqrrt' (did you mean 'sqrt'?)"],
            id="function that is not there",
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
            ["line 3", "not run through a shell", "[./judge.sh, -v]"],
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
            ["line 3", "'now and then' is not a schedule"],
            id="no schedule",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    sample: 2\n",
            ["line 3", "sample: it is 2; write a number from 0 to 1"],
            id="sample above one",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    threshold: true\n",
            ["line 3", "threshold: it is a boolean; write a number"],
            id="truth for a number",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    include_sub_agents: 'no'\n",
            ["line 3", "it is 'no'; write true or false"],
            id="word for a truth",
        ),
        pytest.param(
            'evaluators:\n  - use: tool_error\n    name: "two\\nlines"\n',
            ["line 3", "name: not a valid name; write it on one line"],
            id="name on two lines",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    timeout: 0s\n",
            ["line 3", "timeout: must be more than 0s, such as 10s"],
            id="no time at all",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    timeout: .inf\n",
            ["line 3", "timeout: inf s is not a duration; write one from 0s to 36500d"],
            id="time without end",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    backfill: -1\n",
            ["line 3", "-1 s is not a duration"],
            id="negative time",
        ),
        pytest.param("assembly:\n  grace: 99999999d\n", ["line 2", "write one from 0s"], id="time beyond all clocks"),
        pytest.param(
            "assembly: {grace: 70s, idle: 5s}\n",
            ["line 1", "assembly: idle is 5s; write at least 70s, the value of grace"],
            id="incomplete before complete",
        ),
        pytest.param(
            "listen:\n  web: a\n  grpc: nonsense\n",
            ["line 3: listen.grpc: 'nonsense' is not an address; write HOST:PORT", "line 2"],
            id="no address",
        ),
        pytest.param(
            "evaluation:\n  worker_memory: 1KB\n", ["line 2", "write at least 256.0MiB"], id="too little memory"
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    schedule: '* * * * * *'\n",
            ["line 3", "'* * * * * *' is not a schedule: write five cron fields"],
            id="schedule of six fields",
        ),
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
def test_file_that_cannot_be_used_is_refused_with_line_and_word(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(BadConfiguration) as refusal:
        load_settings(write_settings(tmp_path, text))
    assert all(word in str(refusal.value) for word in ("tracegrade.yaml", *words)), str(refusal.value)


def test_setting_of_none_of_its_kinds_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration) as refusal:
        load(write_settings(tmp_path, "export:\n  endpoint: http://x:1\n  spans: [sometimes]\n"))
    assert str(refusal.value).endswith("line 3: export.spans: it is a list; write auto, or write true or false")


def test_rubric_that_cannot_be_used_is_refused_with_its_own_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "polite.yaml").write_text("criteria: polite\nscael: [1, 5]\n", encoding="utf-8")
    text = "judges: {default: {}}\nevaluators:\n  - rubric: polite.yaml\n"
    with working_in(tmp_path), pytest.raises(BadConfiguration) as refused:
        load(write_settings(tmp_path, text))
    assert "polite.yaml, line 2" in str(refused.value)
    assert "'scale'" in str(refused.value)


def test_fault_of_a_rubric_that_two_entries_share_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "polite.yaml").write_text("criteria: polite\nscael: [1, 5]\n", encoding="utf-8")
    entries = "  - rubric: polite.yaml\n  - {rubric: polite.yaml, name: again, scope: session}\n"
    with working_in(tmp_path), pytest.raises(BadConfiguration) as refused:
        load(write_settings(tmp_path, f"judges: {{default: {{}}}}\nevaluators:\n{entries}"))
    [line] = str(refused.value).splitlines()
    assert "'scale'" in line


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("scale: [5, 1]", 2),
        ("levels:\n  1: rude\n  9: kind", 4),
        ("pass_mark: 9", 2),
        ("labels:\n  good: 1\n  Good: 0", 4),
    ],
    ids=["a scale turned round", "a level off the scale", "a mark off the scale", "labels that are alike"],
)
def test_rubric_that_makes_no_sense_as_a_whole_is_told_the_line(tmp_path: Path, options: str, line: int) -> None:
    (tmp_path / "polite.yaml").write_text(f"criteria: polite\n{options}\n", encoding="utf-8")
    text = "judges: {default: {}}\nevaluators:\n  - rubric: polite.yaml\n"
    with working_in(tmp_path), pytest.raises(BadConfiguration, match=rf"^polite\.yaml, line {line}: option '\w"):
        load(write_settings(tmp_path, text))


@pytest.mark.parametrize(
    "options", ["labels: {yes: 1, no: 0}\npass_mark: yes", "scale: [1, 2]\nlevels: {1: rude, 2: kind}\npass_mark: 2"]
)
def test_rubric_takes_its_words_and_numbers_without_quotes(tmp_path: Path, options: str) -> None:
    (tmp_path / "polite.yaml").write_text(f"criteria: polite\n{options}\n", encoding="utf-8")
    with working_in(tmp_path):
        [polite] = evaluators_of(
            load(write_settings(tmp_path, "judges: {default: {}}\nevaluators: [{rubric: polite.yaml}]\n"))
        )
    assert polite.threshold == 1.0


@pytest.mark.parametrize(("word", "value"), [("yes", True), ("off", False), ("true", True), ("auto", "auto")])
def test_truths_are_understood_in_every_spelling(tmp_path: Path, word: str, value: object) -> None:
    settings = load(
        write_settings(tmp_path, f"export: {{spans: {word}, judges: {word if word != 'auto' else 'no'}}}\n")
    )
    assert settings.export.spans == value
    assert settings.export.judges is (value is True)


def test_rubric_is_named_as_its_file_and_asks_the_default_judge(tmp_path: Path) -> None:
    (tmp_path / "polite.yaml").write_text("criteria: polite\n", encoding="utf-8")
    text = "judges: {default: {model: a}, other: {model: b}}\nevaluators:\n  - rubric: polite.yaml\n"
    with working_in(tmp_path):
        [polite] = evaluators_of(load(write_settings(tmp_path, text)))
        [renamed] = evaluators_of(load(write_settings(tmp_path, text + "    name: kind\n    judge: other\n")))
    assert (polite.name, polite.kind, polite.asks) == ("polite", "llm", "default")
    assert (renamed.name, renamed.asks) == ("kind", "other")


def test_another_model_prompt_or_temperature_makes_another_evaluator_and_another_address_does_not(
    tmp_path: Path,
) -> None:
    def hash_of(judge: str) -> str:
        text = f"judges: {{default: {judge}}}\nevaluators:\n  - use: goal_achievement\n"
        [evaluator] = evaluators_of(load(write_settings(tmp_path, text)))
        return evaluator.config_hash

    usual = hash_of("{model: a}")
    assert hash_of("{model: a, base_url: 'http://127.0.0.1:1/v1', concurrency: 1}") == usual
    assert hash_of("{model: b}") != usual
    assert hash_of("{model: a, temperature: 1}") != usual


def test_what_the_command_line_says_is_not_looked_for_in_the_file(tmp_path: Path) -> None:
    file = write_settings(tmp_path, "listen: {grpc: '127.0.0.1:4317'}\n")
    for listen in ({"grpc": "nonsense"}, {"http": "nonsense"}):
        with pytest.raises(BadConfiguration, match=r"^listen\.\w+: 'nonsense' is not an address; write HOST:PORT$"):
            load(file if "grpc" in listen else write_settings(tmp_path, "memory_limit: 1GB\n"), listen=listen)


def test_every_fault_of_a_file_is_told(tmp_path: Path) -> None:
    text = "evaluators:\n  - use: tool_error\n    options: {blnak: true, statsu: false}\n"
    with pytest.raises(BadConfiguration, match=r"(?s)blnak.*statsu"):
        load(write_settings(tmp_path, text))


def test_without_a_file_the_defaults_judge(tmp_path: Path) -> None:
    evaluators = build_evaluators(None)
    assert {evaluator.name: (evaluator.scope, evaluator.only_with_reference) for evaluator in evaluators} == {
        "run_completion": ("trace", False),
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
    (judge,) = build_evaluators(load(write_settings(tmp_path, text)).evaluators, resolve=import_function)
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
          - {name: short, python: "tests.support.misbehaving_evaluators:deed", options: {deed: print}, scope: tool}
          - {name: legacy, command: [cat, -]}
          - {name: health, combine: {how: mean, of: {tool_error: 2, tool_call_validity: 1}}}
          - {name: worst, combine: {how: min, of: [health, tool_efficiency]}}
    """
    evaluators = {
        evaluator.name: evaluator
        for evaluator in build_evaluators(load(write_settings(tmp_path, text)).evaluators, resolve=import_function)
    }
    order = evaluators["checkout_order"]
    assert (order.when, order.sample, order.schedule) == ("agent_name = 'checkout'", 0.5, "*/5 * * * *")
    assert (order.backfill_s, order.timeout_s, order.include_sub_agents) == (604800.0, 10.0, False)
    assert {
        name: (evaluators[name].type, evaluators[name].kind) for name in ("slow_tools", "short", "legacy", "health")
    } == {
        "slow_tools": ("sql", "sql"),
        "short": ("tests.support.misbehaving_evaluators:deed", "code"),
        "legacy": ("command", "code"),
        "health": ("combine", "code"),
    }
    assert list(evaluators["worst"].spec["combine"]["members"]["health"]["combine"]["members"]) == [
        "tool_error",
        "tool_call_validity",
    ]


def test_every_faulty_entry_is_told(tmp_path: Path) -> None:
    text = "evaluators:\n  - use: tool_eror\n  - use: defaults\n  - {use: tool_error, name: a, options: {blnak: 1}}\n"
    with pytest.raises(BadConfiguration, match=r"(?s)line 2.*tool_eror.*line 4.*blnak"):
        load(write_settings(tmp_path, text))


def test_files_and_modules_are_looked_for_in_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "slow.sql").write_text("select agent_trace_id, 1 as value\nfrom due", encoding="utf-8")
    text = "evaluators: [{name: slow, sql: slow.sql}, {python: 'house_rules:short'}]"
    with working_in(tmp_path, house_rules="def short(trace): return True"):
        slow, short = build_evaluators(load(write_settings(tmp_path, text)).evaluators, resolve=import_function)
        assert (slow.sql, short.name) == ("select agent_trace_id, 1 as value\nfrom due", "short")


@pytest.mark.parametrize("value", ["a.example,*.B.example", '["a.example", "*.b.example"]', " a.example  *.b.example "])
def test_allowed_hosts_may_be_listed_in_a_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRACEGRADE_LISTEN__ALLOWED_HOSTS", value)
    assert load().listen.allowed_hosts == ("a.example", "*.b.example")


def test_one_allowed_host_needs_no_list(tmp_path: Path) -> None:
    assert load(write_settings(tmp_path, "listen: {allowed_hosts: '*'}")).listen.allowed_hosts == ("*",)


def test_allowed_origins_are_compared_as_browsers_send_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRACEGRADE_LISTEN__ALLOWED_ORIGINS", "https://A.example:443/,http://localhost:3000")
    assert load().listen.allowed_origins == ("https://a.example", "http://localhost:3000")


def test_origin_with_a_path_is_refused_with_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match=r"listen\.allowed_origins.*without a path"):
        load(write_settings(tmp_path, "listen: {allowed_origins: 'https://a.example/page'}"))

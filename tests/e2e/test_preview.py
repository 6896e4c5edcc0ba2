"""`tracegrade preview` over a file and over the server that holds it: what it tells, and that it changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest
from tests.support import agent_spans
from tests.support.command import Done, inside, tracegrade
from tests.support.llm import Llm, grade_politeness, llm
from tests.support.otlp import run_id, span_id, trace_id
from tests.support.polling import until
from tests.support.score_rows import insert_scores, make_judge_score, make_person_score
from tests.support.server import HURRIED, Server, new_trace, running
from tests.support.store import opened

from tracegrade.collector.preview import preview

LONG_AGO = ("--since", "2020-01-01")
FIRST_IS_GOOD = """
def first_is_good(trace, *, good: str = "0001-"):
    good_one = good in trace.agent_trace_id
    return {"value": 1.0 if good_one else 0.25, "explanation": "the first" if good_one else "not the first"}

def raising(trace):
    raise ValueError("no such thing")

def sleeping(trace):
    import time
    time.sleep(60)

def each_call(trace):
    return [call.status == "ok" for call in trace.tool_calls]

def turns(runs):
    return {"value": 1.0, "explanation": f"{len(runs)} turns"}
"""
RUBRIC = "criteria: The agent stays polite.\nscale: [1, 5]\npass_mark: 4\n"


def write_store(folder: Path, *traces: int, session: str | None = None, rows: tuple[Any, ...] = ()) -> None:
    """A store with a run a trace, and these `rows` of scores."""
    with opened(folder) as store:
        for trace in traces:
            first, *others = agent_spans.trip(trace)
            if session is not None:
                first = agent_spans.agent(
                    1, trace=trace, for_s=10, attributes={**first.attributes, "session.id": session}
                )
            store.arrive([first, *others])
        store.revise(*traces)
        if rows:
            with store.results.transaction() as connection:
                insert_scores(connection, *rows)
    (folder / "drafts.py").write_text(FIRST_IS_GOOD)


def command(folder: Path, *arguments: str | Path, **variables: str) -> Done:
    return inside("preview", *arguments, *LONG_AGO, "--store", folder / "store.duckdb", at=folder, **variables)


def result(done: Done) -> Any:
    assert done.code == 0, done.text + done.err
    return json.loads(done.out)["result"]


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return name


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with three runs, scored by the defaults."""
    with running(tmp_path_factory.mktemp("preview") / "store.duckdb") as running_server:
        for trace in (new_trace() for _ in range(3)):
            running_server.add_run(trace)
        yield running_server


def test_draft_in_python_is_shown_with_distribution_worst_runs_and_time(tmp_path: Path) -> None:
    write_store(tmp_path, 1, 2, 3)
    done = tracegrade(
        "preview", "drafts.py:first_is_good", *LONG_AGO, "--store", "store.duckdb", at=tmp_path, COLUMNS="80"
    )
    assert done.code == 0, done.err
    for words in (
        "3 of 3 runs that began since 2020-01-01 00:00 UTC",
        "scored 3",
        "pass rate 33.3%: 1 of 3 (95 % interval 6.1% to 79.2%)",
        "mean 0.50, median 0.25",
        f"{run_id(2)}  travel  0.25 failed\n    not the first\n",
    ):
        assert words in done.text
    assert re.search(r"time: .* in total, median .* ms a run", done.text)


def test_entry_in_yaml_is_read_as_in_the_configuration(tmp_path: Path) -> None:
    write_store(tmp_path, 1, 2)
    draft = write(
        tmp_path,
        "draft.yaml",
        "- name: mine\n  python: drafts.py:first_is_good\n  options: {good: '0002-'}\n  threshold: 0.2\n",
    )
    preview = json.loads(command(tmp_path, draft, "--json").out)
    assert preview["evaluator"] == {
        "name": "mine",
        "type": "drafts.py:first_is_good",
        "kind": "code",
        "scope": "trace",
        "version": 1,
        "threshold": 0.2,
        "source": "draft.yaml",
    }
    assert [(each["target_id"], each["value"]) for each in preview["result"]["worst"]] == [(run_id(1), 0.25)]
    assert preview["result"]["pass_rate"]["passed"] == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("use: tool_efficiency\n\nthresold: 0.9\n", "line 3: thresold: unknown setting (did you mean 'thresh"),
        (
            "- use: tool_efficiency\n  options:\n    nope: 1\n",
            "line 3: evaluators: tool_efficiency has no option 'nope'",
        ),
        ("name: x\n", "line 1: use exactly one of use, python"),
        ("use: tool_error\nwhen: nope > 1\n", "line 2: evaluators: the `when` of 'tool_error' cannot be used"),
        ("- use: tool_error\n- use: tool_efficiency\n", "line 1: write one entry of `evaluators`"),
        ("store: x.duckdb\nevaluators: []\n", "is a whole configuration: tracegrade preview NAME --config draft.yaml"),
        ("criteria: polite?\nlabel: 1\n", "line 2: rubric has no option 'label' (did you mean 'labels'?)"),
        ("use: [\n", "line 2: not valid YAML or JSON"),
    ],
    ids=["key", "option", "nothing to evaluate with", "condition", "two", "configuration", "rubric", "no YAML"],
)
def test_broken_draft_ends_with_2_and_names_the_line(tmp_path: Path, text: str, words: str) -> None:
    write_store(tmp_path, 1)
    done = command(tmp_path, write(tmp_path, "draft.yaml", text))
    assert (done.code, done.text) == (2, "")
    assert done.err.startswith("tracegrade: draft.yaml")
    assert words in done.err


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("tool_eror", "no evaluator is named 'tool_eror' (did you mean 'tool_error'?)"),
        ("drafts.py", "name the function in it: drafts.py:FUNCTION"),
        ("drafts.py:first_is_god", "drafts.py has no 'first_is_god' (did you mean 'first_is_good'?)"),
        (
            "nowhere.py:x",
            "nowhere.py cannot be imported: FileNotFoundError: there is no such file; the working directory is ",
        ),
        ("dokimos:tool_eror", "no evaluator is named 'dokimos:tool_eror' (did you mean 'dokimos:tool_error'?)"),
        ("query.sql", "the query of 'query' cannot be used: Binder Error"),
    ],
    ids=["name", "module", "function", "file", "name of another system", "query"],
)
def test_what_cannot_be_previewed_ends_with_2_and_says_what_to_write(tmp_path: Path, word: str, words: str) -> None:
    write_store(tmp_path, 1)
    write(tmp_path, "query.sql", "select nope from due")
    done = command(tmp_path, word)
    assert (done.code, done.text) == (2, "")
    assert words in done.err


def test_error_of_a_draft_is_a_score_with_its_text(tmp_path: Path) -> None:
    write_store(tmp_path, 1, 2)
    done = command(tmp_path, "drafts.py:raising", "--json")
    assert done.code == 3, done.err
    preview = json.loads(done.out)["result"]
    assert (preview["statuses"], preview["errors"]) == ({"error": 2}, {"ValueError: no such thing": 2})


def test_draft_that_takes_longer_than_its_timeout_is_an_error_score(tmp_path: Path) -> None:
    write_store(tmp_path, 1)
    draft = write(tmp_path, "draft.yaml", "{python: 'drafts.py:sleeping', timeout: 100ms}")
    done = command(tmp_path, draft, "--json")
    assert json.loads(done.out)["result"]["errors"] == {"TimeoutError: took longer than 0.1 s": 1}


def test_newest_runs_are_taken_that_where_and_when_select(tmp_path: Path) -> None:
    write_store(tmp_path, 1, 2, 3, 4)
    draft = write(tmp_path, "draft.yaml", f"{{use: tool_error, sample: 0.1, when: \"trace_id <> '{trace_id(2)}'\"}}")
    options = ("--where", f"trace_id <> '{trace_id(1)}'", "--limit", "1")
    preview = json.loads(command(tmp_path, draft, *options, "--json").out)
    assert {name: preview["runs"][name] for name in ("matching", "examined", "chosen")} == {
        "matching": 3,
        "examined": 2,
        "chosen": 1,
    }
    assert [each["target_id"] for each in preview["result"]["scores"]] == [run_id(3)]
    shown = command(tmp_path, draft, *options).text
    assert "its `when` selects 1 of the 2 newest of these" in shown
    assert "`sample: 0.1` is not applied" in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--where", "1 = 0"), "that match --where"),
        (("--since", "1s"), "no run began since"),
    ],
    ids=["where", "since"],
)
def test_no_run_ends_with_3(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    write_store(tmp_path, 1)
    done = inside("preview", "tool_error", *LONG_AGO, *options, "--store", "store.duckdb", at=tmp_path)
    assert (done.code, done.text) == (3, "")
    assert words in done.err


def test_runs_that_are_all_skipped_end_with_3_and_the_reason(tmp_path: Path) -> None:
    write_store(tmp_path, 1)
    done = command(tmp_path, "tool_correctness")
    assert done.code == 3
    assert "without a reference 1" in done.text


def test_condition_that_cannot_be_used_ends_with_2(tmp_path: Path) -> None:
    write_store(tmp_path, 1)
    done = command(tmp_path, "tool_error", "--where", "nope = 1")
    assert (done.code, done.text) == (2, "")
    assert "the condition --where cannot be used: " in done.err


def test_store_that_is_not_there_ends_with_4(tmp_path: Path) -> None:
    done = command(tmp_path, "tool_error")
    assert (done.code, done.text) == (4, "")


@pytest.mark.parametrize(
    ("entry", "targets"),
    [
        ("{python: 'drafts.py:each_call', scope: tool_call}", [f"{run_id(1)}#0", f"{run_id(2)}#0"]),
        ("{python: 'drafts.py:turns', scope: session}", ["session:s"]),
    ],
    ids=["tool calls", "sessions"],
)
def test_other_scopes_are_evaluated_too(tmp_path: Path, entry: str, targets: list[str]) -> None:
    write_store(tmp_path, 1, 2, session="s")
    preview = result(command(tmp_path, write(tmp_path, "draft.yaml", entry), "--json"))
    assert sorted(each["target_id"] for each in preview["scores"]) == targets
    assert preview["pass_rate"]["passed"] == len(targets)


def test_preview_is_compared_with_people_and_with_the_active_scores(tmp_path: Path) -> None:
    names = [run_id(trace) for trace in (1, 2, 3)]
    active = [make_judge_score(name, evaluator="first_is_good", revision=1, passed=True, value=1.0) for name in names]
    people = [
        make_person_score(names[0], evaluator="first_is_good", passed=True, span_id=span_id(1)),
        make_person_score(names[1], evaluator="first_is_good", passed=False, span_id=span_id(1)),
        make_person_score(names[2], evaluator="first_is_good", passed=True, span_id=span_id(1)),
        make_person_score(names[2], "bob", evaluator="first_is_good", passed=False, span_id=span_id(3)),
    ]
    write_store(tmp_path, 1, 2, 3, rows=(*active, *people))
    preview = result(command(tmp_path, "drafts.py:first_is_good", "--json"))
    agreement = preview["people"]["agreement"]
    assert (preview["people"]["annotations"], agreement["compared"], agreement["kappa"]) == (3, 3, pytest.approx(0.4))
    assert agreement["share"] == pytest.approx(2 / 3)
    assert sorted(each["target_id"] for each in preview["active"]["newly_failing"]) == names[1:]
    assert preview["active"]["newly_passing"] == []
    shown = command(tmp_path, "drafts.py:first_is_good").text
    assert "people: 3 annotations under this name on 3 of these; 66.7% of 3 agree, Cohen's kappa 0.40" in shown
    assert "pass → fail: 2 runs" in shown


@pytest.mark.parametrize(
    "query",
    [
        """with named as (from tool_calls)
        select due.agent_trace_id, count(*) / 4 as value, 'calls' as explanation
        from due join named using (agent_trace_id) group by all -- of each run
        ; -- done""",
        "from due select target_id, 0.25 as value, 'calls' as explanation",
    ],
    ids=["with a CTE", "from first"],
)
@pytest.mark.parametrize("through", ["file", "server"])
def test_query_is_asked_of_the_source(tmp_path: Path, server: Server, query: str, through: str) -> None:
    if through == "server":
        folder, store = server.store.parent, server.store
    else:
        write_store(tmp_path, 1, 2, 3)
        folder, store = tmp_path, tmp_path / "store.duckdb"
    write(folder, "query.sql", query)
    done = inside("preview", "query.sql", *LONG_AGO, "--json", "--store", store, at=folder)
    preview = result(done)
    assert [(each["value"], each["explanation"]) for each in preview["scores"]] == [(0.25, "calls")] * 3


@pytest.mark.parametrize("draft", ["tool_error", "drafts.py:first_is_good", "tool_call_validity"])
def test_runs_of_a_server_are_evaluated_in_this_process(tmp_path: Path, server: Server, draft: str) -> None:
    write(tmp_path, "drafts.py", FIRST_IS_GOOD)
    done = inside("preview", draft, *LONG_AGO, "--json", "--server", server.web, at=tmp_path)
    preview = json.loads(done.out)
    assert preview["runs"]["chosen"] == 3
    assert sum(preview["result"]["statuses"].values()) == 3
    if draft == "tool_error":
        assert (preview["result"]["active"]["targets"], preview["result"]["active"]["is_same"]) == (3, True)
        assert preview["result"]["active"]["agreement"]["share"] == 1.0


def test_server_that_is_not_there_ends_with_4(tmp_path: Path) -> None:
    done = inside("preview", "tool_error", "--server", "http://127.0.0.1:9", at=tmp_path)
    assert (done.code, done.text) == (4, "")


def test_expectations_of_a_file_are_attached(tmp_path: Path) -> None:
    write_store(tmp_path, 1, 2)
    rules = (
        f"rules:\n- name: refund\n  when: {{where: \"trace_id = '{trace_id(1)}'\"}}\n  expected_tool_calls: [refund]\n"
    )
    write(tmp_path, "references.yaml", rules)
    draft = write(tmp_path, "draft.yaml", "{use: tool_correctness, threshold: 0.5}")
    preview = result(command(tmp_path, draft, "--json", TRACEGRADE_REFERENCES="references.yaml"))
    assert {each["target_id"]: each["status"] for each in preview["scores"]} == {
        run_id(1): "scored",
        run_id(2): "skipped",
    }


def name_judge(model: Llm, **judge: Any) -> dict[str, str]:
    prices = {"input_usd_per_million": 1_000, "output_usd_per_million": 1_000}
    judges = {"default": {"base_url": model.url, "model": "scripted", "api_key_env": None, "prices": prices, **judge}}
    return {"TRACEGRADE_JUDGES": json.dumps(judges)}


def test_judge_is_asked_only_after_its_cost_was_agreed_to(tmp_path: Path) -> None:
    write_store(tmp_path, 1)
    rubric = write(tmp_path, "polite.yaml", RUBRIC)
    with llm(grade_politeness) as model:
        done = command(tmp_path, rubric, **name_judge(model, max_output_tokens=10))
        assert (done.code, done.err) == (0, "")
        assert model.paths == []
        assert "judge default: 1 question to ask" in done.text
        assert re.search(r"about \d+ tokens to send, at most 10 to receive: at most \$0\.\d+", done.text)
        assert "The judge was not asked; --yes asks it." in done.text
        unasked = json.loads(command(tmp_path, rubric, "--json", **name_judge(model)).out)
        assert (unasked["cost"]["questions"], unasked["result"], model.paths) == (1, None, [])
        preview = result(command(tmp_path, rubric, "--yes", "--json", **name_judge(model)))
        assert len(model.asked) == 1
        assert [(each["value"], each["explanation"]) for each in preview["scores"]] == [(0.75, "it says please")]
        assert preview["spending"] == {
            "calls": 1,
            "known": 0,
            "input_tokens": 100,
            "output_tokens": 10,
            "cost_usd": pytest.approx(0.11),
        }


def test_interrupted_preview_says_what_the_judge_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_store(tmp_path, 1)
    rubric = write(tmp_path, "polite.yaml", RUBRIC)
    monkeypatch.setattr(preview, "_select_worst", mock.Mock(side_effect=KeyboardInterrupt))
    with llm(grade_politeness) as model:
        done = command(tmp_path, rubric, "--yes", **name_judge(model))
    assert done.code == 130
    assert (
        "interrupted; no score was stored; the judge answered 1 call, 100 tokens sent, 10 received: $0.110 (calls"
        in done.err
    )


@pytest.mark.nightly
def test_question_that_the_store_answers_is_not_asked_again(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    rubric = write(tmp_path, "polite.yaml", RUBRIC)
    with llm(grade_politeness) as model:
        variables = {
            **HURRIED,
            **name_judge(model),
            "TRACEGRADE_ASSEMBLY__JUDGE_SETTLE": "0s",
            "TRACEGRADE_EVALUATORS": json.dumps([{"rubric": rubric}]),
        }
        with running(store, variables=variables) as server:
            trace = new_trace()
            server.export(agent_spans.trip(trace))
            sql = f"select status from latest_scores where trace_id = '{trace_id(trace)}' and evaluator = 'polite'"
            until(partial(server.rows, sql), bool)
            asked = len(model.asked)
            done = inside("preview", rubric, *LONG_AGO, "--json", "--store", store, at=tmp_path, **name_judge(model))
        preview = json.loads(done.out)
        assert (preview["cost"]["questions"], preview["cost"]["known"]) == (0, 1)
        assert preview["result"]["spending"] == {
            "calls": 0,
            "known": 1,
            "input_tokens": 0,
            "output_tokens": 0,
            "cost_usd": 0,
        }
        assert preview["result"]["active"]["agreement"]["share"] == 1.0
        assert len(model.asked) == asked == 1


def test_budget_of_the_day_holds_for_a_preview(tmp_path: Path) -> None:
    write_store(tmp_path, 1, 2)
    with opened(tmp_path) as store:
        store.arrive([agent_spans.tool(9, trace=2, parent=1, result="another question to the judge")])
        store.revise(2)
    rubric = write(tmp_path, "polite.yaml", RUBRIC)
    with llm(grade_politeness) as model:
        preview = result(
            command(tmp_path, rubric, "--yes", "--json", **name_judge(model, usd_per_day=0.05, concurrency=1))
        )
        assert len(model.asked) == 1
    assert preview["statuses"] == {"scored": 1}
    [(reason, count)] = preview["deferred"].items()
    assert (count, "previews may spend 20% (`preview_share`)" in reason) == (1, True)


def test_judge_that_cannot_be_asked_defers_and_ends_with_3(tmp_path: Path) -> None:
    write_store(tmp_path, 1)
    rubric = write(tmp_path, "polite.yaml", RUBRIC)
    with llm(grade_politeness) as model:
        done = command(tmp_path, rubric, "--yes", "--json", **name_judge(model, api_key_env="NO_SUCH_KEY"))
    assert done.code == 3
    [(reason, count)] = json.loads(done.out)["result"]["deferred"].items()
    assert (count, "NO_SUCH_KEY is not set" in reason) == (1, True)


def tables(store: Path) -> dict[str, list[Any]]:
    connection = duckdb.connect(str(store), read_only=True)
    names = [name for (name,) in connection.execute("select table_name from duckdb_tables() order by all").fetchall()]
    contents = {name: connection.execute(f"from {name} order by all").fetchall() for name in names}
    connection.close()
    return contents


def test_preview_stores_nothing_but_answers(tmp_path: Path) -> None:
    write_store(tmp_path, 1, 2, rows=(make_person_score(run_id(1), evaluator="polite", passed=True),))
    store = tmp_path / "store.duckdb"
    rubric = write(tmp_path, "polite.yaml", RUBRIC)
    query = write(tmp_path, "query.sql", "from due select agent_trace_id, 1 as value")
    before, content = tables(store), sha256(store.read_bytes()).hexdigest()
    assert len(before["agent_traces"]) == 2
    with llm(grade_politeness) as model:
        for draft in ("tool_error", "drafts.py:first_is_good", query):
            assert command(tmp_path, draft, "--yes", **name_judge(model)).code == 0
        assert sha256(store.read_bytes()).hexdigest() == content
        for _ in range(2):
            assert command(tmp_path, rubric, "--yes", **name_judge(model)).code == 0
        assert len(model.asked) == 1  # both runs are the same question
    after = tables(store)
    assert after["judge_calls"]
    assert all("preview" in call for call in after["judge_calls"])
    assert {**after, "judge_calls": before["judge_calls"]} == before


def test_preview_changes_nothing_behind_a_server(tmp_path: Path, server: Server) -> None:
    watched = ("scores", "judge_calls", "evaluation_passes", "evaluator_cursors", "deferrals", "outbox")
    sql = {name: f"select * from {name} order by all" for name in watched}
    rubric = write(tmp_path, "polite.yaml", RUBRIC)
    write(tmp_path, "drafts.py", FIRST_IS_GOOD)
    before = {name: server.rows(text) for name, text in sql.items()}
    with llm(grade_politeness) as model:
        for draft in ("tool_efficiency", "drafts.py:first_is_good", rubric):
            options = ("--yes", "--store", server.store)
            done = inside("preview", draft, *LONG_AGO, *options, at=tmp_path, **name_judge(model))
            assert done.code == 0, done.err
        assert model.asked
    assert {name: server.rows(text) for name, text in sql.items()} == before

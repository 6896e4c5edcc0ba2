"""The commands that read, against a server, against its file, and against what is not there."""

from __future__ import annotations

import csv
import importlib.metadata
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support import agent_spans, otlp
from tests.support.command import Done, inside, tracegrade
from tests.support.feedback import make_event, make_record
from tests.support.nightly import rest_at_night
from tests.support.otlp import trace_id
from tests.support.server import HURRIED, Server, running

from tracegrade.collector.cli.commands import COMMANDS
from tracegrade.collector.config.settings import Settings, load

READERS: dict[str, Callable[[bytes], list[Any]]] = {
    "json": lambda answer: [list(row.values()) for row in json.loads(answer)],
    "jsonl": lambda answer: [list(json.loads(line).values()) for line in answer.splitlines()],
    "json-table": lambda answer: json.loads(answer)["rows"],
    "csv": lambda answer: list(csv.reader(io.StringIO(answer.decode())))[1:],
    "parquet": lambda answer: [list(row.values()) for row in pq.read_table(io.BytesIO(answer)).to_pylist()],
    "arrow": lambda answer: [list(row.values()) for row in pa.ipc.open_stream(answer).read_all().to_pylist()],
}


@pytest.fixture(scope="module")
def scored_trace(server: Server) -> str:
    """The id of a trace that has its scores."""
    return trace_id(server.add_run(name="pilot"))


def expect_error(done: Done, code: int, *words: str) -> None:
    """Expects that exit code, and every word in what was said to the person."""
    assert done.code == code, done
    for word in words:
        assert word in done.err


@pytest.mark.parametrize("form", READERS)
def test_sql_answers_in_every_form(server: Server, scored_trace: str, form: str) -> None:
    sql = f"select name, result from tool_calls where trace_id = '{scored_trace}'"
    done = inside("sql", "--store", server.store, "--format", form, sql, at=server.store.parent)
    assert done.code == 0, done.err
    assert READERS[form](done.out) == [["search", "AF007"]]


def test_sql_finds_the_server_that_holds_the_store(server: Server, scored_trace: str) -> None:
    sql = f"select evaluator, passed from latest_scores where trace_id = '{scored_trace}' and passed order by all"
    done = tracegrade("sql", "--store", server.store, "--format", "csv", sql, at=server.store.parent)
    assert (done.code, done.err) == (0, "")
    assert done.text == "evaluator,passed\nrun_completion,true\ntool_efficiency,true\ntool_error,true\n"


def test_sql_of_a_named_server_prints_a_table(server: Server, scored_trace: str, tmp_path: Path) -> None:
    sql = f"select agent_name, [31] as list, null as nothing from agent_traces where trace_id = '{scored_trace}'"
    done = inside("sql", "--server", server.web, "-", at=tmp_path, stdin=sql)
    assert done.code == 0, done.err
    for word in ("agent_name", "pilot", "[31]", "∅"):
        assert word in done.text


def test_wrong_token_is_told_which_variable_to_set(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb", variables={**HURRIED, "TRACEGRADE_TOKEN": "right"}) as server:
        ask = ("sql", "--store", server.store, "--format", "csv", "select 1 as one")
        expect_error(inside(*ask, at=tmp_path, TRACEGRADE_TOKEN="wrong"), 4, "set TRACEGRADE_TOKEN", server.web)
        assert inside(*ask, at=tmp_path, TRACEGRADE_TOKEN="right").text == "one\n1\n"


def test_statement_that_writes_is_refused_with_2(server: Server, tmp_path: Path) -> None:
    done = inside("sql", "--store", server.store, "drop table spans", at=tmp_path)
    expect_error(done, 2, "DROP is refused", "SELECT")
    assert server.one("select count(*) from spans") >= 0


def test_file_of_the_machine_is_refused_with_2(server: Server, tmp_path: Path) -> None:
    done = inside("sql", "--store", server.store, "select * from read_csv('/etc/hostname')", at=tmp_path)
    expect_error(done, 2, "disabled")
    assert done.out == b""


def test_wrong_use_ends_with_2(tmp_path: Path) -> None:
    expect_error(tracegrade("sql", "--sotre", "x", "select 1", at=tmp_path), 2, "--sotre", "--store")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(["sql", "--store", "none.duckdb", "select 1"], 4, ["none.duckdb", "serve"], id="no store"),
        pytest.param(["sql", "--server", "http://127.0.0.1:1", "select 1"], 4, ["127.0.0.1:1"], id="no server"),
        pytest.param(["sql", "--format", "xml", "select 1"], 2, ["xml", "parquet"], id="no such format"),
        pytest.param(["sqll", "select 1"], 2, ["sqll", "'sql'"], id="no such command"),
        pytest.param(["evaluators", "tool_eror"], 2, ["'tool_eror'", "'tool_error'"], id="no such evaluator"),
        pytest.param(
            ["evaluators", "ToolErrorEvaluator"],
            2,
            ["that is a name of Dokimos; here it is dokimos:tool_error (the same figures) or tool_error (ours)"],
            id="an evaluator of another system",
        ),
        pytest.param(
            ["preview", "AgentEvaluator"],
            2,
            ["that is a name of gllm-evals; here it is gl:agent (the same figures)"],
            id="a draft of another system",
        ),
    ],
)
def test_what_cannot_be_done_is_said_with_its_remedy(
    tmp_path: Path, arguments: list[str], code: int, words: list[str]
) -> None:
    expect_error(inside(*arguments, at=tmp_path), code, *words)
    assert list(tmp_path.iterdir()) == []


def test_show_tells_a_run_by_the_beginning_of_its_id(server: Server, scored_trace: str) -> None:
    done = inside("show", scored_trace[:20], "--store", server.store, at=server.store.parent)
    assert done.code == 0, done.err
    for word in (scored_trace, "pilot", "Find a flight to Paris", "AF007", "tool_error", "tool_efficiency"):
        assert word in done.text


@pytest.mark.parametrize(
    "command",
    rest_at_night(
        2,
        map(
            pytest.param,
            [("show", trace_id(1)), ("explain", trace_id(1)), ("tail", "--no-follow"), ("doctor", trace_id(1))],
        ),
    ),
    ids=lambda command: command[0],
)
def test_run_cannot_forge_lines_of_a_report_nor_steer_the_terminal(tmp_path: Path, command: tuple[str, ...]) -> None:
    forged = "travel\ntool_error  scored 1.00\u202e\x1b[31m"
    spans = [
        agent_spans.agent(1, name=forged),
        agent_spans.tool(2, forged, parent=1, args=forged, result=forged, at_s=1),
    ]
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(spans))
    assert inside("import", "--store", "s.duckdb", "trip.pb", at=tmp_path).code == 0
    done = inside(*command, "--store", "s.duckdb", at=tmp_path)
    assert done.code == 0, done.err
    assert "travel" in done.text
    assert not {"\u202e", "\x1b"} & set(done.text)
    assert not any(line.startswith("tool_error  scored 1.00") for line in done.text.splitlines())


def test_show_of_an_unknown_run_ends_with_1(server: Server) -> None:
    done = inside("show", "beef", "--store", server.store, at=server.store.parent)
    expect_error(done, 1, "'beef'", "tracegrade tail")


def test_tail_prints_a_line_a_run_with_every_score(server: Server, scored_trace: str) -> None:
    done = inside("tail", "--no-follow", "--lines", "100000", "--store", server.store, at=server.store.parent)
    assert done.code == 0, done.err
    (line,) = [line for line in done.text.splitlines() if f" {scored_trace[:8]} " in line]
    for word in ("pilot", "Find a flight to Paris", "1 call ", "- call_validity", "✓ efficiency 1.00", "✓ error 1.00"):
        assert word in line


def test_evaluator_of_the_configuration_is_described_with_what_it_stands_on(tmp_path: Path) -> None:
    entry = "evaluators:\n  - {name: slow, use: tool_error, sample: 0.5}\n"
    (tmp_path / "tracegrade.yaml").write_text(entry)
    done = inside("evaluators", "slow", at=tmp_path)
    assert done.code == 0, done.err
    for words in ("slow  scope trace", "sample 0.5", "version 3", "blank"):
        assert " ".join(words.split()) in " ".join(done.text.split())
    assert inside("evaluators", "slwo", at=tmp_path).code == 2


def test_evaluator_whose_condition_is_wrong_is_not_described_but_refused(tmp_path: Path) -> None:
    entry = "evaluators:\n  - {name: slow, use: tool_error, when: no_such_column > 1}\n"
    (tmp_path / "tracegrade.yaml").write_text(entry)
    done = inside("evaluators", "slow", at=tmp_path)
    assert done.code == 2
    assert "no_such_column" in done.err


def test_evaluators_are_listed_ours_first(tmp_path: Path) -> None:
    listed = inside("evaluators", at=tmp_path)
    assert listed.code == 0
    words = listed.text.split()
    assert words.index("tool_trajectory") < words.index("adk:tool_trajectory")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param(
            "tool_error", ["decides what passes", "reads", "tool_calls", "no results recorded", "blank"], id="ours"
        ),
        pytest.param("agentv:tool_trajectory", ["AgentV", "compat", "args_match"], id="of another system"),
        pytest.param("tool_efficiency", ["judge", "not needed", "example:", "  - use: tool_efficiency"], id="by rules"),
        pytest.param("gl:agent", ["needed: one of `judges`", "    judge: default", "      how: multiply"], id="judged"),
    ],
)
def test_evaluator_is_described_with_inputs_options_and_source(tmp_path: Path, name: str, told: list[str]) -> None:
    done = inside("evaluators", name, at=tmp_path)
    assert done.code == 0
    for word in (name, "skipped when", "source", "option", *told):
        assert word in done.text


TOOLS = [{"type": "function", "function": {"name": "GetWeather", "description": "x", "parameters": {"type": "object"}}}]


def test_faults_of_tools_in_a_file_are_named_and_end_with_1(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    done = inside("lint-tools", "tools.json", "--json", at=tmp_path)
    assert done.code == 1
    assert [one["check"] for one in json.loads(done.out)["findings"]] == ["snakecase_format"]
    assert "snakecase_format" in inside("lint-tools", "tools.json", at=tmp_path).text


def test_lint_applies_the_rules_of_evaluators_that_ask_and_says_that_no_judge_was_asked(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    (tmp_path / "tracegrade.yaml").write_text(
        "judges: {default: {}}\nevaluators: [{use: tool_name_reliability, judge: default}]\n"
    )
    done = inside("lint-tools", "tools.json", at=tmp_path)
    assert done.code == 1, done.err
    assert "snakecase_format" in done.text
    assert "no judge was asked: tool_name_reliability" in done.text


def test_findings_name_their_file_and_a_broken_file_stops_no_other(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[{")
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(json.dumps(TOOLS))
    files = ("broken.json", "one.json", "two.json")
    done = inside("lint-tools", *files, "--json", at=tmp_path)
    assert [one["file"] for one in json.loads(done.out)["findings"]] == ["one.json", "two.json"]
    expect_error(done, 2, "broken.json, line 1", "not valid YAML or JSON")
    assert "one.json" in inside("lint-tools", *files, at=tmp_path).text


def test_two_files_that_define_a_tool_differently_are_told_together(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(
            f"- {{name: search, description: Searches in {name}., parameters: {{}}}}"
        )
    done = inside("lint-tools", "one.yaml", "two.yaml", "--json", at=tmp_path)
    assert [(one["file"], one["check"]) for one in json.loads(done.out)["findings"]] == [
        ("one.yaml, two.yaml", "one_definition")
    ]


@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        pytest.param("- {name: search, description: Searches., parameters: {}}", 0, "0 findings", id="good tools"),
        pytest.param("- {nam: search}", 2, "tools[0] has no name", id="no tools"),
        pytest.param("[]", 3, "no tool definitions", id="nothing"),
    ],
)
def test_file_of_tools_is_json_or_yaml(tmp_path: Path, content: str, code: int, word: str) -> None:
    (tmp_path / "tools.yaml").write_text(content)
    done = inside("lint-tools", "tools.yaml", at=tmp_path)
    assert done.code == code
    assert word in done.text + done.err


def test_tools_that_were_offered_are_checked_in_the_store(tmp_path: Path) -> None:
    agent = agent_spans.agent(1)
    offering = agent_spans.chat(2, parent=1, at_s=1, attributes={"gen_ai.tool.definitions": json.dumps(TOOLS)})
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request([agent, offering]))
    assert inside("import", "--store", "s.duckdb", "trip.pb", at=tmp_path).code == 0
    done = inside("lint-tools", "--store", "s.duckdb", at=tmp_path)
    assert done.code == 1
    assert "GetWeather" in done.text


@pytest.fixture(scope="module")
def initialized_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the file that `tracegrade init` writes."""
    folder = tmp_path_factory.mktemp("init")
    assert inside("init", at=folder).code == 0
    return folder


def test_file_of_init_changes_nothing(initialized_folder: Path) -> None:
    assert load(initialized_folder / "tracegrade.yaml").model_dump() == Settings().model_dump()


def test_values_in_the_file_of_init_are_the_defaults(initialized_folder: Path) -> None:
    commented, _, _ = (initialized_folder / "tracegrade.yaml").read_text().partition("# evaluators:")
    file = initialized_folder / "live.yaml"
    file.write_text("\n".join(_uncommented(commented)))
    assert load(file).model_dump() == Settings().model_dump()


def test_init_does_not_overwrite_what_somebody_wrote(initialized_folder: Path) -> None:
    (initialized_folder / "mine.yaml").write_text("memory_limit: 2GB")
    expect_error(inside("init", "mine.yaml", at=initialized_folder), 2, "mine.yaml", "--force")
    assert (initialized_folder / "mine.yaml").read_text() == "memory_limit: 2GB"


@pytest.mark.parametrize("place", [".", "nowhere/mine.yaml"])
def test_init_says_where_it_cannot_write(initialized_folder: Path, place: str) -> None:
    expect_error(inside("init", "--force", place, at=initialized_folder), 2, f"{place} cannot be written")


def _uncommented(text: str) -> Iterator[str]:
    """The lines that set something. The first two are prose."""
    for line in text.splitlines()[2:]:
        yield line.removeprefix("# ")


def test_doctor_tells_how_a_trace_in_a_held_store_is_read(server: Server, scored_trace: str) -> None:
    done = inside("doctor", "--store", server.store, scored_trace[:12], at=server.store.parent)
    assert done.code == 0, done.err
    assert "run pilot: 1 tool calls, 2 model calls, complete" in done.text
    assert "the tools that were offered, with their schemas" in done.text


def test_doctor_names_the_setting_that_turns_content_on(tmp_path: Path) -> None:
    file = tmp_path / "silent.pb"
    file.write_bytes(agent_spans.export_request([agent_spans.agent(1), agent_spans.chat(2, parent=1, at_s=1)]))
    done = inside("doctor", str(file), at=tmp_path)
    assert done.code == 0, done.err
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only" in done.text


def test_doctor_shows_an_attribute_that_could_not_be_read(tmp_path: Path) -> None:
    agent, chat, *rest = agent_spans.trip()
    odd = replace(chat, attributes={**chat.attributes, "gen_ai.usage.input_tokens": "many"})
    file = tmp_path / "odd.pb"
    file.write_bytes(agent_spans.export_request([agent, odd, *rest]))
    done = inside("doctor", str(file), at=tmp_path)
    assert done.code == 0, done.err
    assert "attribute gen_ai.usage.input_tokens cannot be read in 1 span(s), for example many" in done.text


def test_doctor_shows_how_to_put_an_agent_span_around_a_loop(tmp_path: Path) -> None:
    file = tmp_path / "bare.pb"
    file.write_bytes(agent_spans.export_request([agent_spans.chat(2)]))
    done = inside("doctor", str(file), at=tmp_path)
    assert done.code == 0, done.err
    lines = done.out.decode().splitlines()
    assert "        with tracer.start_as_current_span(" in lines
    assert any(line.startswith('        await tracer.startActiveSpan("invoke_agent my_agent"') for line in lines)


def test_doctor_tells_which_evaluations_cannot_be_used(tmp_path: Path) -> None:
    nameless, lost = make_event(""), make_record(9, value=1.0)
    (tmp_path / "spans.pb").write_bytes(
        agent_spans.export_request([*agent_spans.trip(), agent_spans.span(8, parent=1, events=(nameless,))])
    )
    (tmp_path / "logs.pb").write_bytes(otlp.logs_request([lost, make_record(1, value="high", at_s=21)]))
    done = inside("doctor", "spans.pb", "logs.pb", at=tmp_path)
    assert done.code == 0, done.err
    assert "1 unusable evaluation: without gen_ai.evaluation.name" in done.text
    assert "1 unusable evaluation: polite: the span that it evaluates is not there" in done.text
    assert "polite: its score 'high' is not a number from 0 to 1" in done.text


def test_doctor_counts_events_that_name_no_trace(tmp_path: Path) -> None:
    lost = otlp.log(1, trace_id=b"", span_id=b"", event_name="gen_ai.choice")
    (tmp_path / "spans.pb").write_bytes(agent_spans.export_request(agent_spans.trip()))
    (tmp_path / "logs.pb").write_bytes(otlp.logs_request([lost, lost]))
    done = inside("doctor", "spans.pb", "logs.pb", at=tmp_path)
    assert done.code == 0, done.err
    assert "2 log records without a trace id, not part of any run: gen_ai.choice" in done.text


def test_doctor_says_where_spans_come_from_that_no_agent_wrote(tmp_path: Path) -> None:
    file = tmp_path / "web.pb"
    file.write_bytes(agent_spans.export_request([agent_spans.span(1, name="GET /")]))
    done = inside("doctor", str(file), at=tmp_path)
    assert (done.code, done.err) == (1, "")
    assert "The spans come from: tests" in done.text


def test_doctor_does_not_know_an_id_that_nothing_begins_with(server: Server) -> None:
    expect_error(
        inside("doctor", "--store", server.store, "feedfeed", at=server.store.parent),
        1,
        "is neither a file nor the beginning of a trace id",
    )


def test_version_is_told(tmp_path: Path) -> None:
    done = tracegrade("--version", at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.text == f"tracegrade {importlib.metadata.version('tracegrade')}\n"


def test_no_command_is_answered_with_the_list_of_them(tmp_path: Path) -> None:
    done = inside(at=tmp_path)
    assert done.code == 2
    assert [command for command in COMMANDS if f"  {command} " not in done.text + done.err] == []

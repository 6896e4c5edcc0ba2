"""What others write is shown and never obeyed, whichever command prints it; names that hide something are refused."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from rich.text import Text
from tests.support import agent_spans, otlp
from tests.support.command import inside
from tests.support.feedback import add_events, arrive_records, make_attributes, make_event, make_record
from tests.support.score_rows import insert_scores, make_judge_score, make_person_score
from tests.support.store import opened

from tracegrade.collector.cli.console import new_console, print_json
from tracegrade.collector.cli.tail import format_run
from tracegrade.collector.ingest.queue import IngestQueue
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.receiver import ExportOutcome
from tracegrade.collector.system.log import remove_controls
from tracegrade.queries.foreign_text import escape_markdown, is_shown_whole, one_line
from tracegrade.queries.pages.run.markdown import render_markdown

HOSTILE = "a\x1b[2J\x9b31m\u202eb\u200bc\ufeff\u2066d\re"
SHOWN = "a<U+001B>[2J<U+009B>31m<U+202E>b<U+200B>c<U+FEFF><U+2066>d<U+000D>e"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Default_Ignorable_Code_Point of https://www.unicode.org/Public/16.0.0/ucd/DerivedCoreProperties.txt."""

RUN = otlp.run_id(1)
FORGED = "polite" + " " * 90 + "23:59:59 deadbeef travel  ✓ completion 1.00"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which whatever a sender can name is named to do harm; scores are of an earlier version."""
    folder = tmp_path_factory.mktemp("hostile")
    call = agent_spans.tool(3, HOSTILE, parent=1, at_s=3, args={HOSTILE: HOSTILE}, result=HOSTILE, call_id=HOSTILE)
    said = [agent_spans.text_message("user", HOSTILE)], [agent_spans.text_message("assistant", HOSTILE)]
    spans = [
        agent_spans.agent(1, name=HOSTILE),
        agent_spans.chat(2, parent=1, at_s=1, hears=said[0], says=said[1]),
        call,
    ]
    with opened(folder) as store:
        store.arrive(spans)
        arrive_records(
            store, make_record(name="polite", label=HOSTILE, explanation=HOSTILE), resource={"service.name": HOSTILE}
        )
        store.revise(1)
        with store.results.transaction() as connection:
            usual = {"evaluator": HOSTILE, "agent_trace_id": RUN, "span_id": otlp.span_id(1), "revision": 1}
            labels = {**usual, "label": HOSTILE, "value": 0.5, "passed": False, "explanation": HOSTILE}
            insert_scores(connection, make_judge_score(RUN, **labels), make_person_score(RUN, HOSTILE, **labels))
    return folder


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["tail", "--no-follow"], id="tail"),
        pytest.param(["show", otlp.trace_id(1)], id="show"),
        pytest.param(["explain", otlp.trace_id(1)], id="explain"),
        pytest.param(["doctor", otlp.trace_id(1)], id="doctor"),
        pytest.param(["doctor", "--ledger"], id="doctor --ledger"),
        pytest.param(["calibrate"], id="calibrate"),
        pytest.param(["backlog"], id="backlog"),
        pytest.param(["sql", "select * from tool_calls"], id="sql"),
        pytest.param(["sql", "--expanded", "select * from scores"], id="sql --expanded"),
        pytest.param(["preview", "tool_error"], id="preview"),
    ],
)
def test_command_prints_nothing_that_a_terminal_obeys(folder: Path, command: list[str]) -> None:
    done = inside(*command, "--store", "store.duckdb", at=folder)
    assert done.text or done.err
    assert OBEYED.findall(done.text + done.err) == []


@pytest.mark.parametrize("command", ["tail", "show", "explain", "calibrate"])
def test_name_of_an_evaluation_is_shown_as_everything_else_is(folder: Path, command: str) -> None:
    about_what = {"tail": "--no-follow", "calibrate": "--json"}.get(command, otlp.trace_id(1))
    done = inside(command, *([] if command == "calibrate" else [about_what]), "--store", "store.duckdb", at=folder)
    assert SHOWN[:40] in re.sub(r"\s+", "", done.text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("\u202eevil", "<U+202E>evil", id="bidirectional"),
        pytest.param("a\u200bb\u2060\ufeff", "a<U+200B>b<U+2060><U+FEFF>", id="zero-width"),
        pytest.param("\x1b]8;;http://evil\x07", "<U+001B>]8;;http://evil<U+0007>", id="control"),
        pytest.param("\U000e0041", "<U+E0041>", id="tag"),
        pytest.param("a\ufe0fb\ufe01", "a<U+FE0F>b<U+FE01>", id="selector after a letter"),
        pytest.param("✔\ufe0f\ufe0f\ufe0e", "✔\ufe0f<U+FE0F><U+FE0E>", id="second selector of an emoji"),
        pytest.param("a\U000e0101", "a<U+E0101>", id="selector beyond the first plane"),
        pytest.param("\ud800", "<U+D800>", id="half of a character"),
        pytest.param("één ✔️ ⚠️ 1️⃣ 日本", "één ✔️ ⚠️ 1️⃣ 日本", id="text of any language"),
    ],
)
def test_character_that_cannot_be_seen_is_told_by_its_number(text: str, shown: str) -> None:
    assert one_line(text) == shown
    assert is_shown_whole(text) == (text == shown)


def test_no_ignorable_character_is_shown_as_nothing() -> None:
    hidden = (chr(code) for first, last in IGNORABLE for code in range(first, last + 1))
    assert [hex(ord(character)) for character in hidden if one_line(f"a{character}b") == f"a{character}b"] == []


@pytest.mark.parametrize(
    "text", [pytest.param("a&#8238;b&#xe0041;c&ZeroWidthSpace;d", id="entity"), pytest.param(HOSTILE, id="character")]
)
def test_markdown_gives_no_hidden_character(text: str) -> None:
    for rendered in (render_markdown(text), escape_markdown(text)):
        shown = unescape(rendered)  # as a browser shows it
        assert one_line(shown) == shown.replace("\n", "\\n")


def test_json_of_commands_has_hidden_characters_escaped(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    value = {HOSTILE: ["\U000e0041", "✔️", "\n\t"]}
    print_json(value)
    sys.stdout.flush()
    written = capfdbinary.readouterr().out.decode()
    assert json.loads(written) == value
    assert OBEYED.findall(written) == []
    assert "\U000e0041" not in written


def test_log_cleans_what_is_no_text() -> None:
    event = {"event": "lost", "error": ValueError(HOSTILE), "names": [HOSTILE], "count": 3, "exc_info": True}
    cleaned = remove_controls(None, "error", event)
    assert (cleaned["count"], cleaned["exc_info"]) == (3, True)
    assert OBEYED.findall(str(cleaned)) == []
    assert "<U+202E>" in cleaned["error"]


def test_console_obeys_no_text_even_if_its_author_is_forgotten() -> None:
    console = new_console(width=200, force_terminal=True)
    with console.capture() as captured:
        console.print(Text("\u202eevil\x1b[2J"))
    assert "<U+202E>evil<U+001B>[2J" in captured.get()


def test_name_that_is_long_looks_like_no_line_of_its_own() -> None:
    run = {
        "started_at": datetime(2026, 1, 1, tzinfo=UTC),
        "trace_id": otlp.trace_id(1),
        "agent_name": "travel",
        "input": "",
        "tool_call_count": 0,
        "completeness": "complete",
        "scores": [{"evaluator": FORGED, "status": "scored", "value": 1.0, "passed": True}],
    }
    first, *further = format_run(run, width=80).plain.splitlines()
    assert all(len(text) <= 80 for text in (first, *further))
    assert all(text.startswith(" " * 18) for text in further)


@pytest.mark.parametrize("name", [HOSTILE, "po\u200blite", "two\nlines", "\u202eetilop"])
def test_name_that_hides_something_is_refused(tmp_path: Path, name: str) -> None:
    attributes = {"annotations.0.annotation.name": name, "annotations.0.annotation.score": 1.0}
    answer = agent_spans.chat(5, parent=1, at_s=7, attributes=attributes)
    with opened(tmp_path) as store:
        store.arrive(add_events([*agent_spans.trip(), answer], {1: make_event(name, value=1.0)}))
        arrive_records(store, make_record(name=name, value=1.0))
        store.revise(1)
        assert store.active_scores() == []


def test_sender_is_told_that_a_name_hides_something(tmp_path: Path) -> None:
    log = otlp.log(1, attributes=make_attributes("po\u200blite", value=1.0), event_name="gen_ai.evaluation.result")
    span = otlp.from_plain(add_events([agent_spans.span(1)], {1: make_event("po\u200blite", value=1.0)})[0])
    requests = {Signal.LOGS: otlp.logs_request([log]), Signal.TRACES: otlp.traces_request([span])}
    with opened(tmp_path) as store:

        async def sent(signal: Signal) -> ExportOutcome:
            intake = IngestQueue(store.arrivals, queue_bytes=2**20, on_commit=lambda _: None)
            intake.start()
            try:
                return await intake.accept(signal, requests[signal])
            finally:
                await intake.drain()

        for signal in requests:
            outcome = asyncio.run(sent(signal))
            assert (outcome.accepted, outcome.rejected) == (1, 0)
            assert "1 evaluation with a name that holds control, bidirectional or zero-width" in outcome.message


def test_annotation_under_such_a_name_is_refused(folder: Path) -> None:
    done = inside(
        "annotate", otlp.trace_id(1), "--name", "po\u200blite", "--good", "--store", "store.duckdb", at=folder
    )
    assert done.code != 0
    assert "zero-width" in done.err

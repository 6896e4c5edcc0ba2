"""The page of a run, as a reader sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from starlette.applications import Starlette
from tests.support.agent_spans import agent, chat, span, text_message, tool, tool_call_message, trip
from tests.support.evaluators import make_evaluator
from tests.support.filtered_runs import BEGAN, add_run
from tests.support.otlp import any_value, log, logs_request, run_id, span_id, trace_id
from tests.support.pages import Shown, make_pages_app, open_page
from tests.support.score_rows import insert_scores, make_judge_score
from tests.support.store import Clock, Store, opened

from tracegrade.collector.otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from tracegrade.collector.otlp.file import read as read_file
from tracegrade.collector.otlp.json import to_protobuf
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.queries.pages.run.markdown import render_markdown
from tracegrade.queries.read.run_keys import SORTS

OWN = make_evaluator("own")
HOSTILE = "<script>alert(1)</script>\u202e"
STARTED = BEGAN - timedelta(hours=12)
LONG = "a" * 3_000 + "b" * 3_000
FAILED, PASSED, ALONE, PARENT = 1, 2, 3, 4
TURNS = "since=all"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Runs: one that failed at its second call, and that an evaluator scored twice; two turns of a session; one that
    has a sub-agent."""
    with opened(tmp_path_factory.mktemp("store"), now=Clock()) as opened_store:
        opened_store.arrive(_make_failing())
        opened_store.arrive(trip(PASSED, session="s/1"))
        opened_store.arrive([agent(1, trace=ALONE, at_s=60, attributes={"gen_ai.conversation.id": "s/1"})])
        opened_store.arrive(_make_delegating())
        opened_store.revise(FAILED, PASSED, ALONE, PARENT)
        yield opened_store


@pytest.fixture(scope="module")
def app(store: Store) -> Starlette:
    return make_pages_app(store.database, now=store.now)


def _make_failing() -> list[Any]:
    asked = text_message("user", HOSTILE)
    calls = tool_call_message(("c1", "search", {"to": "Paris"}), ("c2", "book", {"nights": 5}))
    failed: dict[str, Any] = {"status_code": "error", "status_message": "HTTP 503", "attributes": {"error.type": "E"}}
    return [
        agent(1, trace=FAILED, status_code="error", status_message="HTTP 503"),
        chat(2, trace=FAILED, parent=1, at_s=1, hears=[asked], says=[calls]),
        tool(3, trace=FAILED, parent=1, at_s=2, args={"to": "Paris"}, result=LONG, call_id="c1"),
        tool(4, "book", trace=FAILED, parent=1, at_s=4, args={"nights": 5}, call_id="c2", **failed),
    ]


def _make_delegating() -> list[Any]:
    return [
        agent(1, trace=PARENT, name="front"),
        tool(2, "look", trace=PARENT, parent=1, at_s=1, args={"a": 1}, result="x"),
        agent(3, trace=PARENT, name="back", parent=1, at_s=2, for_s=3),
        tool(4, "pay", trace=PARENT, parent=3, at_s=3, args={"b": 2}, status_code="error", status_message="no money"),
    ]


def show(app: Starlette, trace: int, **query: str) -> Shown:
    return open_page(app, f"/runs/{run_id(trace)}?{urlencode({'since': 'all', **query})}")


def test_first_sentence_says_what_failed_and_leads_there(app: Starlette) -> None:
    shown = show(app, FAILED)
    assert "✗ Failed at call 2, book: E: HTTP 503" in shown.text
    assert shown.link("Show where") == "#call-2"
    assert '<li class="entry call failed" id="call-2"' in shown.source
    assert "the only one like it" in shown.text


def test_conversation_has_messages_and_calls_where_they_were_made(app: Starlette) -> None:
    text = show(app, PASSED).text
    places = [text.index(part) for part in ("Find a flight to Paris", "1 search to=Paris", "AF007", "Take AF007.")]
    assert places == sorted(places)
    assert "Failed" not in text


def test_decision_of_a_guardrail_stands_where_it_was_made(tmp_path: Path) -> None:
    denied = {
        "gen_ai.operation.name": "apply_guardrail",
        "gen_ai.security.guardrail.name": "PII filter",
        "gen_ai.security.verdict.type": "deny",
        "gen_ai.security.verdict.reason": "a card number",
    }
    with opened(tmp_path, now=Clock()) as store:
        inner = [agent(3, name="back", parent=1, at_s=2), span(4, parent=3, at_s=3, attributes=denied)]
        store.arrive([agent(1), span(2, parent=1, at_s=1, attributes=denied), *inner])
        store.arrive(trip(2))
        store.revise(1, 2)
        app = make_pages_app(store.database, now=store.now)
        page = open_page(app, f"/runs/{run_id(1, 1)}")
        assert page.text.count("guardrail PII filter ⊘ denied Its span a card number") == 2
        assert 'id="agent-1-guardrail-1"' in page.source
        assert "⊘ blocked by PII filter" in page.text
        listed = open_page(app, "/runs?since=all&q=is:blocked").source
        assert (run_id(1, 1) in listed, run_id(2, 1) in listed) == (True, False)


def test_foreign_text_stays_text(app: Starlette) -> None:
    shown = show(app, FAILED)
    assert "<script>alert" not in shown.source
    assert "<script>alert(1)</script><U+202E>" in shown.text


def test_long_content_is_cut_in_the_middle_and_whole_at_its_own_address(app: Starlette) -> None:
    shown = show(app, FAILED)
    assert "a" * 2_048 in shown.text
    assert "b" * 1_025 not in shown.text
    whole = open_page(app, shown.link("2,928 more characters: open"))
    assert whole.source == LONG
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    assert whole.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "place", ["call:9:result", "call:0:name", "span:x:attribute:y", "field:user_id", "message:a:0:0"]
)
def test_content_that_is_not_there_is_not_found(app: Starlette, place: str) -> None:
    shown = open_page(app, f"/runs/{run_id(FAILED)}/text/{place}")
    assert (shown.status, "There is no such content" in shown.text) == (404, True)


def test_calls_of_a_sub_agent_are_within_it_and_numbered_in_the_whole_run(app: Starlette) -> None:
    shown = show(app, PARENT)
    assert "sub-agent back" in shown.text
    assert (
        shown.source.index('id="agent-1"')
        < shown.source.index('id="call-2"')
        < shown.source.index("the sub-agent alone")
    )
    alone = open_page(app, shown.link("Show the sub-agent alone"))
    assert "a sub-agent: show the whole run" in alone.text
    assert "✗ Failed at call 1, pay: no money" in alone.text


def test_neighbours_in_the_session_are_linked(app: Starlette) -> None:
    shown = show(app, PASSED)
    assert shown.link("turn 1 of 2") == "/sessions/s%2F1?since=all&turn=1#turn-1"
    assert f"/runs/{run_id(ALONE)}?" in shown.link("turn after »")
    assert "turn before" not in shown.text


def test_what_was_not_recorded_is_listed(app: Starlette) -> None:
    assert "model_calls_not_captured" in show(app, ALONE).text
    assert "Nothing was recorded of the conversation" in show(app, ALONE).text


def test_attributes_of_a_chosen_span_are_shown(app: Starlette) -> None:
    shown = show(app, FAILED, span=span_id(3))
    assert "gen_ai.tool.call.arguments" in shown.text
    assert '<details id="span" class="panel" open>' in shown.source
    assert "The trace has no span nowhere" in show(app, FAILED, span="nowhere").text


def test_scores_stand_with_what_they_replaced_and_with_the_question_to_their_judge(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.add_runs(1)
        target = {"agent_trace_id": run_id(1), "scope": "trace", "target_time": STARTED}
        old = {"value": 0.9, "superseded_at": BEGAN, "superseded_reason": "revision"}
        with store.database.cursor() as connection:
            insert_scores(
                connection,
                make_judge_score(run_id(1), **target, value=0.2, passed=False, explanation="it is rude", pass_id="p"),
                make_judge_score(run_id(1), **target, **old, pass_id="o"),
            )
            connection.execute(
                "insert into judge_calls by name select 'j' as judge_call_id, 'h' as request_hash, 'polite' as"
                " evaluator, $id as target_id, 'p' as pass_id, 'default' as judge, 'm' as model,"
                ' \'{"prompt": "Is it polite?"}\' as request, \'{"text": "No."}\' as response, false as from_cache,'
                " 'ok' as status, $at as started_at",
                {"id": run_id(1), "at": STARTED},
            )
        text = show(make_pages_app(store.database, now=store.now), 1).text
    assert "✗ polite 0.20" in text
    assert "it is rude" in text
    assert "Question to m" in text
    assert "Is it polite? Answer No." in text
    assert "revision" in text.partition("Replaced scores")[2]


def test_unknown_run_says_what_was_searched(app: Starlette) -> None:
    shown = open_page(app, "/runs/ffff")
    assert shown.status == 404
    assert "searched" in shown.text
    assert "The run may not have arrived yet" in shown.text


def test_beginning_of_an_id_leads_to_the_run_or_to_those_that_have_it(app: Starlette) -> None:
    assert "Failed at call 2" in open_page(app, f"/runs/{trace_id(FAILED)}").text
    shown = open_page(app, "/runs/0")
    assert (shown.status, "Several runs have this id" in shown.text) == (409, True)


@pytest.mark.parametrize("query", [{"at": "2020-01-01"}, {"at": "nonsense"}, {"q": "wrong:"}, {"step": "9" * 18}])
def test_wrong_parameters_do_not_hide_the_run(app: Starlette, query: dict[str, str]) -> None:
    assert show(app, FAILED, **query).status == 200


def test_markdown_is_rendered_on_request_without_html_and_links() -> None:
    html = render_markdown("**b** <b>x</b> [a](javascript:1) ![p](http://x/y) <http://x>\n\n| a |\n|---|\n| 1 |")
    assert "<strong>b</strong>" in html
    assert "<table>" in html
    assert "<a" not in html
    assert "<img" not in html
    assert "<b>" not in html


def test_markdown_of_a_table_with_very_many_cells_stays_text() -> None:
    rows = ["|a" * 1_000, "|-" * 1_000, *["|"] * 40]
    assert len(render_markdown("\n".join(rows))) < 20_000


@pytest.mark.parametrize("field", ["input", "final_response"])
def test_long_text_is_cut_also_as_markdown_and_says_so(tmp_path: Path, field: str) -> None:
    with opened(tmp_path, now=Clock()) as store:
        with store.database.cursor() as connection:
            add_run(connection, run_id(1), started_at=BEGAN, **{field: "**b** " * 20_000})
        shown = show(make_pages_app(store.database, now=store.now), 1, text="markdown")
    assert len(shown.source) < 40_000
    assert "This text is too long to be shown as Markdown" in shown.text
    assert f"/text/field:{field}" in shown.link("116,928 more characters: open")


def test_trace_is_downloaded_as_what_exporters_send(app: Starlette, store: Store) -> None:
    answer = open_page(app, f"/runs/{run_id(FAILED)}/otlp.json")
    decoded = decode_spans(to_protobuf(Signal.TRACES, answer.source.encode()).body).rows
    names = [name for name in SPAN_COLUMNS if name not in {"attributes", "events", "links", "resource"}]
    stored = store.rows(
        f"select {', '.join(names)} from spans where trace_id = $id order by span_id", id=trace_id(FAILED)
    )
    assert sorted(tuple(row[SPAN_COLUMNS.index(name)] for name in names) for row in decoded) == stored


def test_log_records_of_the_trace_are_downloaded_with_it(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        record = log(2, attributes={"index": 0}, body=any_value({"message": {"content": ["Hi", 1.5]}}))
        store.arrive(trip(1), logs=logs_request([record], resource={"service.name": "tests"}))
        store.revise(1)
        answer = open_page(make_pages_app(store.database, now=store.now), f"/runs/{run_id(1)}/otlp.json")
        file = tmp_path / "trace.otlp.json"
        file.write_text(answer.source, encoding="utf-8")
        parts = {part.signal: part.body for part in read_file(file)}
        assert len(decode_spans(parts[Signal.TRACES]).rows) == 4
        [found], [sent] = (decode_logs(body).rows for body in (parts[Signal.LOGS], logs_request([record])))
        assert dict(zip(LOG_COLUMNS, found, strict=True)) | {"resource": None, "service_name": None} == dict(
            zip(LOG_COLUMNS, sent, strict=True)
        ) | {"resource": None, "service_name": None}


def test_run_is_downloaded_as_an_item_of_a_dataset(app: Starlette) -> None:
    item = DatasetItem.model_validate_json(open_page(app, f"/runs/{run_id(PASSED)}/item.json").source)
    assert item.input == "Find a flight to Paris"
    assert item.source is not None
    assert item.source.agent_trace_id == run_id(PASSED)
    assert open_page(app, f"/runs/{run_id(ALONE)}/item.json").status == 409


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """Runs of which some began at the same time, and some have no cost."""
    with opened(tmp_path_factory.mktemp("store"), now=Clock()) as store:
        with store.database.cursor() as connection:
            for number in range(7):
                add_run(
                    connection,
                    f"{number:032x}-{number:016x}",
                    started_at=BEGAN - timedelta(minutes=1 + number // 2),
                    cost_usd=None if number < 2 else 0.1 * (number % 3),
                    duration_ms=float(number % 4),
                    input_tokens=number or None,
                    agent_name="even" if number % 2 == 0 else "odd",
                )
        yield make_pages_app(store.database, now=store.now)


@pytest.mark.parametrize("sort", SORTS)
def test_next_leads_through_the_list_in_its_order(listed: Starlette, sort: str) -> None:
    addresses = _list_addresses(open_page(listed, f"/runs?since=24h&sort={sort}"))
    assert len(addresses) == 7
    seen, address = list[str](), addresses[0]
    while address:
        seen.append(address.partition("?")[0])
        shown = open_page(listed, address)
        assert f"{len(seen)} of 7" in shown.text
        address = next((to for label, to in shown.links if label == "next »"), "")
    assert seen == [each.partition("?")[0] for each in addresses]


def test_place_is_that_in_the_filtered_list_and_back_leads_to_it(listed: Starlette) -> None:
    addresses = _list_addresses(open_page(listed, "/runs?since=24h&q=agent%3Aodd"))
    shown = open_page(listed, addresses[1])
    assert "2 of 3" in shown.text
    assert shown.link("« previous").partition("?")[0] == addresses[0].partition("?")[0]
    assert shown.link("« Runs agent:odd") == "/runs?since=24h&q=agent%3Aodd"
    other = open_page(listed, f"/runs/{0:032x}-{0:016x}?since=24h&q=agent%3Aodd")
    assert "not in the list of this period and filter" in other.text


def _list_addresses(shown: Shown) -> list[str]:
    return [address for _, address in shown.links if address.startswith("/runs/")]


class _Desk:
    """Writes and removes annotations in a store, and does nothing else."""

    def __init__(self, store: Store) -> None:
        self._annotations = Annotations(store.results, now=store.now)

    def annotate(self, annotations: Sequence[Any]) -> Sequence[str]:
        return self._annotations.write(annotations)

    def remove_annotation(self, score_id: str) -> None:
        self._annotations.remove(score_id)


def test_label_is_stored_on_what_it_judges_and_undone(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.add_runs(1)
        desk: Any = _Desk(store)
        labels = asyncio.run(_label(make_pages_app(store.database, now=store.now, commands=desk), store))
    good = (run_id(1), "overall", True, None, "ada")
    assert labels == [
        [good],
        [good, (run_id(1), "comment", None, "too slow", "ada")],
        [good, (run_id(1), "comment", None, "too slow", "ada"), (f"{run_id(1)}#0", "overall", False, None, "ada")],
        [good, (run_id(1), "comment", None, "too slow", "ada")],
    ]


async def _label(app: Starlette, store: Store) -> list[list[tuple[Any, ...]]]:
    """Sends the form of a run: good, a comment by Enter, a bad call, undo. Returns the labels after each."""
    columns = "target_id, evaluator, passed, explanation, author"
    labels: list[list[tuple[Any, ...]]] = []
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        page = (await client.get(f"/runs/{run_id(1)}")).text
        token = page.partition('name="form_token" value="')[2].partition('"')[0]
        sent = [
            {"label": "good", "author": "ada"},
            {"label": "enter", "comment": "too slow"},
            {"label": "bad@call-1"},
        ]
        for fields in sent:
            answer = await client.post(f"/runs/{run_id(1)}/labels", data={"form_token": token, **fields})
            assert answer.status_code == 303, answer.text
            labels.append(
                store.rows(f"select {columns} from annotations order by scored_at, target_id, evaluator desc")
            )
        undone = SimpleNamespace(id=answer.headers["location"].partition("done=label%3A")[2].partition("%3A")[0])
        await client.post(f"/runs/{run_id(1)}/labels", data={"form_token": token, "remove": undone.id})
        labels.append(store.rows(f"select {columns} from annotations order by scored_at, target_id, evaluator desc"))
    return labels


def test_form_without_its_token_changes_nothing(app: Starlette) -> None:
    async def send() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return (await client.post(f"/runs/{run_id(1)}/labels", data={"label": "good"})).status_code

    assert asyncio.run(send()) == 403

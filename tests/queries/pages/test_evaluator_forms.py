"""What the forms of the pages of evaluators change: labels, pauses, backfills, previews; on a server with a history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from tests.support.history import history_store
from tests.support.page_client import PageClient
from tests.support.serving import FREE_PORTS, serve_store

from tracegrade.collector.cli.demo_history import load_history_settings
from tracegrade.collector.demo.judge import JUDGE_EVALUATOR

pytestmark = pytest.mark.exhaustive  # the history takes ten seconds to make

QUEUE = f"/labelling?since=all&evaluator={JUDGE_EVALUATOR}"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    store_file = history_store(tmp_path_factory).copy_to(tmp_path_factory.mktemp("forms"))
    with serve_store(load_history_settings(str(store_file), listen=FREE_PORTS)) as url, PageClient(url) as client:
        yield client


def find_field(source: str, name: str) -> str:
    """The value of a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]*)"', source.partition("<main")[2])
    assert found is not None, name
    return unescape(found[1])


def label_first(reader: PageClient, answer: str, **fields: str) -> str:
    """Labels the first run of the queue; returns the page that follows."""
    source = reader.get(QUEUE).text
    shown = {name: find_field(source, name) for name in ("target", "name")}
    sent = reader.submit(QUEUE, QUEUE, None, answer=answer, **shown, **fields)
    assert sent.status_code == 303
    return unescape(reader.get(sent.headers["location"]).text)


def preview(reader: PageClient, entry: str, **fields: str) -> tuple[int, str]:
    answer = reader.submit("/preview", "/preview", None, entry=entry, past="30d", limit="20", **fields)
    return answer.status_code, " ".join(re.sub(r"<[^>]+>", " ", unescape(answer.text)).split())


def test_opinions_of_evaluators_are_shown_after_the_label(reader: PageClient) -> None:
    before = reader.get(QUEUE).text
    main = before.partition("<main")[2]
    assert "scores on it" not in main
    assert not re.search(r"✓ passed|✗ failed|unsure|disagree", main)
    after = label_first(reader, "bad", author="eve", comment="It says nothing about the price.")
    assert "You said" in after
    assert "scores on it" in after
    assert 'value="eve"' in after


def test_label_that_is_taken_back_brings_the_run_back(reader: PageClient) -> None:
    target = find_field(reader.get(QUEUE).text, "target")
    after = label_first(reader, "good", author="eve")
    assert find_field(after, "target") != target
    reader.submit(QUEUE, "/labelling/undo?since=all", label=find_field(after, "label"))
    assert find_field(reader.get(QUEUE).text, "target") == target


def test_label_without_an_answer_stores_nothing(reader: PageClient) -> None:
    answer = reader.submit(QUEUE, QUEUE, answer="perhaps", target="x", name="y")
    assert (answer.status_code, "Nothing was stored" in answer.text) == (400, True)
    wrong = reader.submit(QUEUE, QUEUE, answer="good", target="no id", name="y")
    assert (wrong.status_code, "was not accepted" in wrong.text) == (400, True)


def test_evaluator_is_paused_and_resumed(reader: PageClient) -> None:
    page = "/evaluators/tool_error"
    for action, state in (("pause", "Paused since"), ("resume", "✓ running")):
        sent = reader.submit(page, f"{page}/{action}")
        shown = reader.get(sent.headers["location"]).text
        assert f"✓ {action.capitalize()}d: " in shown
        assert state in shown
        assert "done=" not in shown


def test_backfill_says_how_many_and_what_it_costs_before_it_begins(reader: PageClient) -> None:
    page = f"/evaluators/{JUDGE_EVALUATOR}/backfill?past=30d"
    source = reader.get(page).text
    count = re.search(r"<b>(\d+) to evaluate", source)
    assert count is not None
    assert re.search(r"About <b><span[^>]+>\$0\.\d+", source)
    fields = {name: find_field(source, name) for name in ("from", "until")}
    sent = reader.submit(page, f"/evaluators/{JUDGE_EVALUATOR}/backfill", None, **fields)
    assert (
        f"{int(count[1]):,} scores requested: they follow after what arrives."
        in reader.get(sent.headers["location"]).text
    )


def test_backfill_of_an_evaluator_of_tools_is_refused(reader: PageClient) -> None:
    answer = reader.get("/evaluators/tool_name_reliability/backfill")
    assert (answer.status_code, "as soon as it is known" in answer.text) == (400, True)


def test_options_are_previewed_against_what_is_active(reader: PageClient) -> None:
    status, text = preview(reader, "use: tool_error\nthreshold: 0.1\n")
    assert status == 200
    assert re.search(r"tool_error code, version \d, passes at 0.1: 20 of \d+ runs", text)
    assert re.search(r"would fail now, \d+ would pass now", text)


def test_query_is_previewed(reader: PageClient) -> None:
    entry = unescape(reader.get("/preview?example=query").text.partition("required>")[2].partition("</textarea>")[0])
    status, text = preview(reader, entry)
    assert status == 200
    assert "few_calls sql" in text
    assert "20 scored" in text


def test_judge_is_asked_only_after_its_price_was_shown(reader: PageClient) -> None:
    entry = "name: polite\ncriteria: Good answers are polite.\n"
    status, text = preview(reader, entry)
    assert (status, "Would pass" in text) == (200, False)
    assert re.search(r"It would ask the judge default \d+ questions", text)
    assert re.search(r"at most \$\d", text)


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        pytest.param("python: os:system", "takes no `python`", id="code"),
        pytest.param("command: [ls]", "takes no `command`", id="a command"),
        pytest.param("sql: /etc/passwd", "write the query itself", id="a file"),
        pytest.param("sql: delete from scores where true", "Allowed is one SELECT", id="a write"),
        pytest.param("{use: tool_error, when: random() = 0.5}", "says something else whenever", id="a draw"),
        pytest.param("use: tool_eror", "did you mean 'tool_error'?", id="an unknown evaluator"),
        pytest.param("use: [", "line 1: not valid YAML", id="no YAML"),
    ],
)
def test_entry_that_cannot_be_used_says_why_and_stays(reader: PageClient, entry: str, fault: str) -> None:
    status, text = preview(reader, entry)
    assert status == 400
    assert fault in text
    assert entry in text

"""What is done with the runs that a reader selects in the list; on a server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import httpx
import orjson
import pytest
from tests.support.agent_spans import agent, text_message, trip
from tests.support.otlp import run_id
from tests.support.page_client import PageClient, serve_pages
from tests.support.store import opened

from tracegrade.evaluators.experiments.item import DatasetItem

LIST = "/runs?since=all&q=agent%3Atravel&sort=started_at"

OFFERED = orjson.dumps([{"type": "function", "name": "search_flights", "parameters": {"type": "object"}}]).decode()


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    """Two runs with a question, and a third of which nothing was recorded."""
    folder = tmp_path_factory.mktemp("store")
    with opened(folder) as store:
        asked = orjson.dumps([text_message("user", "Find a flight")]).decode()
        store.arrive(trip(1, offers=OFFERED))
        store.arrive([agent(1, trace=2, attributes={"gen_ai.input.messages": asked})])
        store.arrive([agent(1, trace=3)])
        store.revise(1, 2, 3)
    with serve_pages(folder, evaluators=[{"use": "tool_error"}]) as url, PageClient(url) as client:
        yield client


def act(reader: PageClient, action: str, *traces: int, **fields: str) -> httpx.Response:
    return reader.submit(LIST, LIST, None, action=action, run=[run_id(trace) for trace in traces], **fields)


def text_of(answer: httpx.Response) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", unescape(answer.text)).split())


def follow(reader: PageClient, answer: httpx.Response) -> str:
    assert answer.status_code == 303, text_of(answer)
    return text_of(reader.get(answer.headers["location"]))


def read_annotations(reader: PageClient, trace: int) -> list[tuple[str, bool | None, str | None]]:
    sql = "select evaluator, passed, explanation from annotations where target_id = $id order by scored_at, evaluator"
    answer = reader.post("/api/v1/sql", json={"sql": sql, "parameters": {"id": run_id(trace)}})
    assert answer.status_code == 200, answer.text
    return [tuple(row) for row in answer.json()["rows"]]


def test_runs_are_labelled_and_the_list_says_so_where_it_was(reader: PageClient) -> None:
    answer = act(reader, "good", 1, 2, author="ada")
    assert answer.headers["location"].startswith("/runs?since=all&q=agent%3Atravel&sort=started_at&done=")
    assert "✓ 2 runs labelled good by you." in follow(reader, answer)
    assert "✓ 1 run labelled bad by you." in follow(reader, act(reader, "bad", 3))
    assert read_annotations(reader, 1) == [("overall", True, None)]
    assert read_annotations(reader, 3) == [("overall", False, None)]


@pytest.mark.parametrize("action", ["comment", "enter"])
def test_comment_is_kept_by_its_button_or_by_enter(reader: PageClient, action: str) -> None:
    assert "✓ 1 run commented by you." in follow(reader, act(reader, action, 2, comment=f" by {action} "))
    assert ("comment", None, f"by {action}") in read_annotations(reader, 2)


@pytest.mark.parametrize("action", ["dataset", "enter"])
def test_runs_become_items_of_a_dataset_which_is_shown(reader: PageClient, action: str) -> None:
    answer = act(reader, action, 1, 2, dataset=f"from-{action}")
    assert answer.headers["location"].startswith(f"/datasets/from-{action}")
    assert "Find a flight" in follow(reader, answer)


def test_item_of_a_selected_run_has_the_tools_as_its_download_has(reader: PageClient) -> None:
    answer = act(reader, "dataset", 1, dataset="with-tools")
    assert "search_flights" in follow(reader, answer)
    (stored,) = reader.get("/api/v1/datasets/with-tools").json()["items"]
    downloaded = reader.get(f"/runs/{run_id(1)}/item.json").json()
    assert DatasetItem.model_validate(downloaded) == DatasetItem.model_validate(stored)


def test_two_runs_are_compared(reader: PageClient) -> None:
    answer = act(reader, "compare", 1, 2)
    assert answer.headers["location"].startswith("/compare?")
    assert "Find a flight" in follow(reader, answer)


def test_comparison_of_selected_runs_leads_back_to_their_list(reader: PageClient) -> None:
    values = re.findall(r'name="run" value="([^"]+)"', reader.get(LIST).text)
    assert all("@20" in value for value in values)
    answer = reader.submit(LIST, LIST, None, action="compare", run=values[:2])
    shown = reader.get(answer.headers["location"])
    assert "a_at=20" in answer.headers["location"]
    assert f'href="{LIST.replace("&", "&amp;")}"' in shown.text


def test_runs_are_exported_as_lines_of_json(reader: PageClient) -> None:
    answer = act(reader, "export", 1, 3)
    assert [orjson.loads(line)["agent_trace_id"] for line in answer.text.splitlines()] == [run_id(1), run_id(3)]
    assert "attachment" in answer.headers["content-disposition"]


def test_runs_are_evaluated_again(reader: PageClient) -> None:
    assert "✓ Of 2 selected runs: 2 scores requested" in follow(reader, act(reader, "evaluate", 1, 2))


@pytest.mark.parametrize(
    ("action", "traces", "message"),
    [
        ("good", [], "No runs are selected"),
        ("good", [*range(100, 151)], "51 are selected: select at most 50"),
        ("compare", [1], "1 is selected: select two"),
        ("comment", [1], "The comment is missing"),
        ("dataset", [1], "The dataset is missing"),
        ("enter", [1], "No button was pressed"),
        ("former", [1], "This button does nothing"),
        ("export", [1, 99], "A selected run is not there any more"),
    ],
)
def test_what_cannot_be_done_says_why_and_changes_nothing(
    reader: PageClient, action: str, traces: list[int], message: str
) -> None:
    before = read_annotations(reader, 1)
    answer = act(reader, action, *traces)
    assert answer.status_code in (400, 404)
    assert message in text_of(answer)
    assert read_annotations(reader, 1) == before


def test_run_without_a_question_is_no_item(reader: PageClient) -> None:
    answer = act(reader, "dataset", 3, dataset="incomplete")
    assert answer.status_code == 400
    assert f"The input of {run_id(3)} was not recorded. Nothing was changed." in text_of(answer)


def test_confirmation_that_is_none_of_ours_is_not_shown(reader: PageClient) -> None:
    assert "your account" not in text_of(reader.get("/runs?since=all&done=your+account+is+locked"))

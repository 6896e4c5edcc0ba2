"""Links that cannot be shown: each page says in one line what happened and what to do, with the status that fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.crawl import GET_PAGES
from tests.support.page_client import PageClient, serve_pages

from tracegrade.queries.pages.rendering import Templates

OF_A_QUESTION = {"/sql", "/sql/download"}
"""Pages whose parameters are those that a statement names."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    with serve_pages(tmp_path_factory.mktemp("store")) as url, PageClient(url) as client:
        yield client


@pytest.mark.parametrize(
    ("address", "status", "text", "link"),
    [
        pytest.param("/no/such<b>", 404, "/no/such&lt;b&gt; is not a page of this server", "/runs", id="unknown page"),
        pytest.param(
            "/runs?since=7d&from=2026-01-01T00:00Z", 400, "this link has both", "/runs", id="a period in two ways"
        ),
        pytest.param("/runs?since=soon", 400, "soon", "/runs", id="a period that cannot be read"),
        pytest.param(
            "/runs?from=2026-01-02&to=2026-01-01", 400, "ends before it begins", "/runs", id="a period without time"
        ),
        pytest.param("/runs?agent=a%00", 400, "has a NUL character", "/runs", id="a name that is not text"),
        pytest.param(
            "/runs?q=is%3Afailing&range=7d&page=2&agent=a",
            400,
            "no parameter <code>range</code>, <code>page</code>",
            "/runs?q=is%3Afailing&amp;agent=a",
            id="parameters of another version",
        ),
    ],
)
def test_link_that_cannot_be_shown_says_why_and_leads_on(
    reader: PageClient, address: str, status: int, text: str, link: str
) -> None:
    answer = reader.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert text in answer.text
    assert f'href="{link}"' in answer.text
    assert "content-security-policy" in answer.headers


def test_every_page_that_is_read_names_its_parameters() -> None:
    assert {path for path, page in GET_PAGES.items() if page.parameters is None} == OF_A_QUESTION


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/v1/nothing", 404), ("GET", "/api/v1/sql", 405), ("POST", "/nothing", 404), ("GET", "/api/", 404)],
)
def test_programs_get_problem_documents(reader: PageClient, method: str, path: str, status: int) -> None:
    answer = reader.request(method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


def test_error_of_the_program_is_a_page_that_shows_nothing_of_its_text(
    reader: PageClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    render = Templates.render

    def fail(templates: Templates, name: str, **context: Any) -> str:
        if name != "error.html":
            raise RuntimeError("a secret")
        return render(templates, name, **context)

    monkeypatch.setattr(Templates, "render", fail)
    answer = reader.get("/runs", headers={"connection": "close"})  # as the server does after an error of its own
    assert (answer.status_code, answer.headers["content-type"]) == (500, "text/html; charset=utf-8")
    assert "The server has made an error" in answer.text
    assert "in the log of the server" in answer.text
    assert "secret" not in answer.text
    assert "content-security-policy" in answer.headers


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("content", "media_type", "status", "title", "sentence"),
    [
        pytest.param(b"{}", "application/json", 415, "This is no form of a page", "Programs use the API", id="json"),
        pytest.param(b"a=" + b"b" * 2**20, FORM, 413, "The form is too large", "Shorten its texts", id="large"),
        pytest.param(b"a=b", FORM, 403, "This form is not valid any more", "nothing was changed", id="no token"),
    ],
)
def test_refused_form_says_what_was_refused_and_what_to_do(
    reader: PageClient, content: bytes, media_type: str, status: int, title: str, sentence: str
) -> None:
    answer = reader.post("/runs", content=content, headers={"content-type": media_type})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert f"<h1>{title}</h1>" in answer.text
    assert sentence in answer.text
    assert "othing was changed" in answer.text


def test_refused_form_leads_back_to_its_page(reader: PageClient) -> None:
    address = "/runs?since=7d&q=is%3Afailing"
    answer = reader.submit("/preview", address, {"referer": f"{reader.base_url}{address}"}, action="good")
    assert "No runs are selected" in answer.text
    assert f'<a href="{address.replace("&", "&amp;")}">Back to the page of the form</a>' in answer.text
    assert "Back to" not in reader.submit("/preview", address, action="good").text
    foreign = {"referer": f"{reader.base_url}//other.example/"}
    assert "other.example" not in reader.submit("/preview", address, foreign, action="good").text


def test_form_for_what_is_not_there_says_so(reader: PageClient) -> None:
    answer = reader.submit("/preview", "/evaluators/none/pause")
    assert answer.status_code == 404
    assert "<h1>What was to be changed is not there</h1>" in answer.text
    assert "Nothing was changed." in answer.text


def test_label_of_another_version_is_refused_as_such(reader: PageClient) -> None:
    answer = reader.submit("/preview", f"/runs/{'0' * 32}-{'0' * 16}/labels", label="excellent")
    assert (answer.status_code, "names no label of this version" in answer.text) == (400, True)


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/runs/abc/labels?at=2026-01-01", "/runs/abc?at=2026-01-01"),
        ("/evaluators/a/pause", "/evaluators/a"),
        ("/labelling/undo", "/labelling"),
        ("/logout", "/"),
    ],
)
def test_address_of_a_form_leads_to_its_page(reader: PageClient, path: str, page: str) -> None:
    answer = reader.get(path)
    assert (answer.status_code, "This address only takes forms" in answer.text) == (405, True)
    assert f'href="{page}"' in answer.text


NUMBER = "9" * 5_000
"""More digits than Python reads as a number."""


@pytest.mark.parametrize(
    ("address", "parameter"),
    [
        ("/runs/a?step=", "step"),
        ("/labelling?place=", "place"),
        ("/live?after=", "after"),
    ],
)
@pytest.mark.parametrize("number", [NUMBER, "two", "-1", "٣"], ids=["digits", "word", "negative", "other digits"])
def test_number_that_cannot_be_read_is_refused(reader: PageClient, address: str, parameter: str, number: str) -> None:
    answer = reader.get(f"{address}{number}")
    assert answer.status_code == 400
    assert f"<code>{parameter}</code> must be a whole number of at most 18 digits" in answer.text
    assert len(answer.text) < 5_000


@pytest.mark.parametrize("place", [f"call:{NUMBER}:args", f"message:a:{NUMBER}:0", f"message:a:0:{NUMBER}"])
def test_content_at_an_impossible_place_is_not_found(reader: PageClient, place: str) -> None:
    assert reader.get(f"/runs/a/text/{place}").status_code == 404


def test_label_of_an_impossible_call_is_refused_not_given_to_its_run(reader: PageClient) -> None:
    target = f"{'0' * 32}-{'0' * 16}#{NUMBER}"
    answer = reader.submit("/preview", "/labelling", answer="good", name="own", target=target)
    assert (answer.status_code, "names no call of a run" in answer.text) == (400, True)


@pytest.mark.parametrize("limit", [NUMBER, "many"])
def test_preview_of_an_impossible_number_of_runs_says_what_to_write(reader: PageClient, limit: str) -> None:
    answer = reader.submit("/preview", "/preview", entry="use: tool_error", limit=limit)
    assert (answer.status_code, "whole number" in answer.text) == (400, True)

"""The page of SQL, as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from tests.support.agent_spans import agent
from tests.support.otlp import run_id
from tests.support.pages import Shown, make_pages_app, open_page
from tests.support.store import opened

from tracegrade.queries.public_objects import FUNCTIONS

HOSTILE = "<script>alert(1)</script>\u202e"
DOCUMENT = Path(__file__).parents[3] / "queries/docs"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    with opened(tmp_path_factory.mktemp("sql")) as store:
        store.add_runs(1, 2)
        store.arrive([agent(1, name=HOSTILE, trace=3)])
        store.revise(3)
        yield make_pages_app(store.database)


def ask(app: Starlette, sql: str, **parameters: str) -> Shown:
    return open_page(app, f"/sql?{urlencode({'sql': sql, **parameters})}")


def test_page_without_a_question_offers_reports_and_the_schema(app: Starlette) -> None:
    shown = open_page(app, "/sql")
    assert shown.status == 200
    assert shown.link("Since when does a tool fail?") == "/sql?report=tools_by_hour"
    assert "latest_scores" in shown.text
    assert "agent_trace_id varchar" in shown.text


def test_id_of_a_run_leads_to_it(app: Starlette) -> None:
    shown = ask(app, "select agent_trace_id from runs order by all limit 1")
    assert shown.link(run_id(1)) == f"/runs/{run_id(1)}"
    assert "1 row" in shown.text


def test_foreign_text_stays_text(app: Starlette) -> None:
    shown = ask(app, "select agent_name, 1 as n from runs order by agent_name")
    assert "<script>alert" not in shown.source
    assert "<script>alert(1)</script><U+202E>" in shown.text


def test_more_than_a_thousand_rows_are_cut_and_it_is_said(app: Starlette) -> None:
    shown = ask(app, "from range(1001)")
    assert "These are the first 1,000 rows; there are more." in shown.text
    assert shown.source.count("<tr data-row>") == 1_000


def test_large_values_do_not_make_a_large_page(app: Starlette) -> None:
    shown = ask(app, "select repeat('x', 100000) as text from range(500)")
    assert len(shown.source) < 150_000
    assert re.search(r"The first \d+ rows are shown, since the others are too large", shown.text)
    assert "96,000 characters more" in shown.text


def test_wrong_query_is_kept_with_the_message_of_the_database_and_a_caret(app: Starlette) -> None:
    shown = ask(app, "select 1,\n  nope\nfrom runs")
    assert shown.status == 400
    assert 'Binder Error: Referenced column "nope" not found' in shown.text
    assert "<pre>  nope\n  ^</pre>" in shown.source
    assert "line 2" in shown.text
    assert 'data-position="12"' in shown.source
    assert "select 1,\n  nope\nfrom runs</textarea>" in shown.source


def test_query_that_writes_is_refused(app: Starlette) -> None:
    shown = ask(app, "delete from spans")
    assert shown.status == 400
    assert "Allowed is one SELECT" in shown.text


def test_parameter_of_a_query_becomes_a_field(app: Starlette) -> None:
    shown = ask(app, "select $word as word, 1 as n", word="x&y")
    assert 'name="word" value="x&amp;y"' in shown.source
    assert "x&y" in shown.text


def test_period_of_another_page_is_that_of_a_report(app: Starlette) -> None:
    fixed = open_page(app, "/sql?report=tools_by_hour&from=2026-01-02T00:00Z&to=2026-01-03T00:00Z")
    assert 'name="since" value="2026-01-02T00:00Z"' in fixed.source
    assert open_page(app, "/sql?report=tools_by_hour&since=all").status == 200


def test_wrong_value_of_a_report_is_kept_with_what_is_wrong(app: Starlette) -> None:
    shown = open_page(app, "/sql?report=tools_by_hour&until=soon")
    assert shown.status == 400
    assert "until: " in shown.text
    assert 'name="until" value="soon"' in shown.source


def test_unknown_report_names_the_nearest(app: Starlette) -> None:
    shown = open_page(app, "/sql?report=tools_by_our")
    assert (shown.status, "tools_by_hour" in shown.text) == (404, True)


@pytest.mark.parametrize(
    ("sql", "chart"),
    [
        ("select 'a' as name, 3 as n union all select 'b', 4", "Chart of n"),
        ("select date '2026-01-01' + i::int as day, i as n from range(3) as t (i)", "Chart of n"),
        ("select i, i from range(3) as t (i)", None),
        ("select 'a' as name, 'b' as other from range(3)", None),
    ],
    ids=["text and number", "time and number", "numbers alone", "texts alone"],
)
def test_chart_stands_above_what_can_be_drawn(app: Starlette, sql: str, chart: str | None) -> None:
    shown = ask(app, sql)
    assert shown.status == 200
    assert ("Chart of" in shown.text) is (chart is not None)
    assert chart is None or chart in shown.text


def test_file_has_all_rows(app: Starlette) -> None:
    shown = ask(app, "from range(1001)")
    file = open_page(app, shown.link("CSV"))
    assert (file.status, len(file.source.splitlines())) == (200, 1_002)
    assert file.headers["content-disposition"] == 'attachment; filename="answer.csv"'


def test_file_of_a_wrong_query_says_what_is_wrong(app: Starlette) -> None:
    shown = open_page(app, f"/sql/download?{urlencode({'sql': 'select nope', 'format': 'csv'})}")
    assert (shown.status, "nope" in shown.text) == (400, True)
    assert shown.link("Show the question") == "/sql?sql=select+nope"


def test_query_that_is_too_long_for_a_link_is_posted(app: Starlette) -> None:
    shown = ask(app, f"select 1 as n -- {'x' * 5_000}")
    assert "The query is too long for a link." in shown.text
    assert 'method="post" action="/sql/download"' in shown.source


def test_functions_of_the_schema_are_documented() -> None:
    documents = (DOCUMENT / "sql.md").read_text() + (DOCUMENT / "tables.md").read_text()
    assert [name for name in FUNCTIONS if f"{name}(" not in documents] == []

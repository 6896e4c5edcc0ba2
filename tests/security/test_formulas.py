"""A text of a trace is not calculated by the spreadsheet that opens a download."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from tests.support.pages import make_pages_app, open_page
from tests.support.store import opened

FORMULAS = {
    "=1+1": "'=1+1",
    "=1": "'=1",
    "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
    "-2+3": "'-2+3",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t'=1",
    "\r=1": "'\r'=1",
    "\uff1d1+1": "'\uff1d1+1",
    "a;=1+1": "a;'=1+1",
    "a\t@SUM(A1)": "a\t'@SUM(A1)",
    "a\n-2+3": "a\n'-2+3",
    'a;"=1+1': "a;\"'=1+1",
    '"=1+1': "'\"=1+1",
    " =1+1": "' =1+1",
}
"""Texts that some spreadsheet calculates, in whole or from the beginning of a field, and what is downloaded instead."""
PLAIN = ("-1.5", "+3", "-2e10", "a=b", "", "-")
SQL = 'select unnest([{}]) as text, -5 as number, 1 as "=name"'.format(
    ", ".join("'" + text.replace("'", "''") + "'" for text in (*FORMULAS, *PLAIN))
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    with opened(tmp_path_factory.mktemp("formulas")) as store:
        yield make_pages_app(store.database)


def download(app: Starlette, **parameters: str) -> list[list[str]]:
    asked = {"sql": SQL, "format": "csv", **parameters}
    return list(csv.reader(io.StringIO(open_page(app, f"/sql/download?{urlencode(asked)}").source, newline="")))


def test_downloads_have_no_formulas_for_spreadsheets(app: Starlette) -> None:
    head, *rows = download(app)
    assert head == ["text", "number", "'=name"]
    assert [row[0] for row in rows] == [*FORMULAS.values(), *PLAIN]
    assert {row[1] for row in rows} == {"-5"}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("value", ["'x;\"=1+1;y'", "[';=1+1;']", "{'a': ';=1+1;'}", "map {'a': ' =1', ';@x': '1'}"])
def test_no_field_begins_with_a_formula(app: Starlette, value: str, separator: str) -> None:
    page = open_page(app, f"/sql/download?{urlencode({'sql': f'select 1 as n, {value} as t', 'format': 'csv'})}")
    assert page.source.startswith("n,t\n")
    fields = [field for row in csv.reader(io.StringIO(page.source), delimiter=separator) for field in row]
    assert not [field for field in fields if field.lstrip(' "')[:1] in ("=", "+", "-", "@")]


def test_download_keeps_formulas_when_asked(app: Starlette) -> None:
    head, *rows = download(app, formulas="keep")
    assert head[2] == "=name"
    assert [row[0] for row in rows] == [*FORMULAS, *PLAIN]

"""The macros that read one attribute, on the file of a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.support import agent_spans
from tests.support.store import Store, opened

from tracegrade.queries import fence

ATTRIBUTES = {"gen_ai.request.model": "m-1", "gen_ai.usage.input_tokens": 12, "tags": ["a", "b"]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path) as store:
        store.arrive([agent_spans.span(1, name="described", attributes=ATTRIBUTES), agent_spans.span(2)])
        yield store


def ask(store: Store, sql: str, *parameters: object) -> list[tuple[object, ...]]:
    return list(
        fence.read(store.database.connect, sql, parameters=list(parameters) or None, timeout_s=30, max_rows=100).rows
    )


def test_conditions_on_two_attributes_need_no_parentheses(store: Store) -> None:
    condition = (
        "attr(attributes, 'gen_ai.request.model') = 'm-1' and attr(attributes, 'gen_ai.usage.input_tokens') = '12'"
    )
    assert ask(store, f"select name from spans where {condition}") == [("described",)]


def test_attribute_of_the_resource_stands_beside_them(store: Store) -> None:
    sql = """select name from spans
             where resource_attr(resource, 'service.name') = 'tests' and attr(attributes, 'tags') is not null"""
    assert ask(store, sql) == [("described",)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gen_ai.usage.input_tokens", "12"),
        ("tags", '["a","b"]'),
        ("gen_ai", None),
        ("gen_ai.request", None),
    ],
)
def test_value_is_text_and_what_is_absent_is_null(store: Store, name: str, value: str | None) -> None:
    assert ask(store, f"select attr(attributes, '{name}') from spans order by span_id") == [(value,), (None,)]


@pytest.mark.parametrize("name", ["$.a", "$x", "/a", "a/b", "a~b", "a~1b", 'say "a"', "0", "", "a.b[0]", "ключ"])
def test_name_is_taken_as_it_is(store: Store, name: str) -> None:
    attributes = orjson.dumps({"a": {"b": ["wrong"]}, name: "right"}).decode()
    sql = "select attr($1::json, $2), attr(attributes, name) from (select $1::json as attributes, $2 as name)"
    assert ask(store, sql, attributes, name) == [("right", "right")]

from __future__ import annotations

import base64
import json
import math
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import otlp

from tracegrade.collector.spans.values import (
    any_value,
    as_object,
    as_session_id,
    as_text,
    attributes,
    canonical,
    decode_text,
    is_placeholder,
    load_json,
    looks_truncated,
)

TEXT = st.text(max_size=20)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), TEXT, st.binary(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)


def expected(value: Any) -> Any:
    """What JSON can hold of a value, by the rules that `any_value` documents."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case float() if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case list():
            return [expected(item) for item in value]
        case dict():
            return {key: expected(item) for key, item in value.items()}
    return value


@given(VALUES)
def test_any_value_becomes_what_json_can_hold(value: Any) -> None:
    read = any_value(otlp.any_value(value))
    assert json.loads(json.dumps(read, allow_nan=False)) == read == expected(value)


def test_last_of_a_repeated_key_stays() -> None:
    assert attributes([*otlp.key_values({"a": 1, "b": 2}), *otlp.key_values({"a": "last"})]) == {"a": "last", "b": 2}


@pytest.mark.parametrize("falsy", ["", 0, 0.0, False, [], {}], ids=repr)
def test_falsy_value_is_recorded_as_it_is(falsy: object) -> None:
    read = attributes(otlp.key_values({"key": falsy}))
    assert read == {"key": falsy}
    assert type(read["key"]) is type(falsy)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        pytest.param('{"a": 1}', {"a": 1}, id="json-object"),
        pytest.param(" [1, 2]", [1, 2], id="json-list-behind-a-space"),
        pytest.param('"{\\"a\\": 1}"', {"a": 1}, id="json-in-json"),
        pytest.param(json.dumps(json.dumps(json.dumps({"a": 1}))), {"a": 1}, id="three-layers"),
        pytest.param(json.dumps(json.dumps(json.dumps(json.dumps({"a": 1})))), json.dumps({"a": 1}), id="four-layers"),
        pytest.param("{'a': None, 'b': [True]}", {"a": None, "b": [True]}, id="python-repr"),
        pytest.param("{1: 'a'}", {"1": "a"}, id="python-repr-with-number-keys"),
        pytest.param("20", "20", id="number-in-text"),
        pytest.param("true", "true", id="true-in-text"),
        pytest.param("", "", id="empty"),
        pytest.param("Paris", "Paris", id="words"),
        pytest.param("{'a': set()}", "{'a': set()}", id="repr-that-is-no-literal"),
        pytest.param("{'a', 'b'}", "{'a', 'b'}", id="repr-of-a-set"),
        pytest.param(
            "{'n': 123456789012345678901234567890}", "{'n': 123456789012345678901234567890}", id="giant-number"
        ),
        pytest.param('{"a": 1', '{"a": 1', id="cut-off"),
        pytest.param(7, 7, id="no-text"),
        pytest.param(None, None, id="absent"),
    ],
)
def test_text_is_read_as_what_it_holds(written: object, meant: object) -> None:
    assert decode_text(written) == meant


@pytest.mark.parametrize("opener", ["[", "{'a':", '{"a":', "("], ids=["list", "repr", "object", "parenthesis"])
@pytest.mark.parametrize("depth", [70, 300, 5_000], ids="{} deep".format)
def test_text_nested_without_end_is_read_or_left_and_can_be_written_again(opener: str, depth: int) -> None:
    closer = {"[": "]", "(": ")"}.get(opener, "}")
    written = opener * depth + "1" + closer * depth
    assert as_text(decode_text(written)) is not None
    assert as_text([[decode_text(written)]]) is not None


def test_long_python_repr_is_left_alone() -> None:
    written = str({"a": "x" * 100_000})
    assert decode_text(written) == written


@given(st.text() | st.binary().map(repr))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert isinstance(as_text(decode_text(text)), str)


@given(VALUES.map(expected))
def test_what_was_written_as_text_is_read_back(value: Any) -> None:
    assert as_object(as_text({"value": value})) == {"value": value}


def test_text_stays_verbatim_and_absence_stays_absence() -> None:
    assert as_text(" 20 ") == " 20 "
    assert as_text(None) is None
    assert as_text({"a": [1]}) == '{"a":[1]}'


def test_order_of_keys_does_not_matter_to_the_canonical_text() -> None:
    assert canonical({"a": 1, "b": {"c": 2, "d": 3}}) == canonical({"b": {"d": 3, "c": 2}, "a": 1})


@pytest.mark.parametrize("text", ["<elided>", " <REDACTED> ", "__REDACTED__"])
def test_placeholder_is_no_content(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("value", ["", "redacted", None, {"a": 1}], ids=repr)
def test_content_is_no_placeholder(value: object) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize(
    ("value", "is_cut"),
    [
        ('{"a": "b', True),
        ("[1, 2", True),
        ('{"a": 1}', False),
        ("{'a': 1}", False),
        ("words", False),
        (None, False),
        ("[File: notes.txt] text", False),
        ("[12:04] started", False),
        ("[2026-11-22 12:04:01] up", False),
        ("[Hit(name='a", True),
        ('["a", "b', True),
        ("[[1", True),
        ("[nul", False),
        ("[", True),
        ("{'a': [", True),
        ("[travel] No such tool", False),
    ],
    ids=repr,
)
def test_json_that_was_cut_off_looks_truncated(value: object, is_cut: bool) -> None:  # noqa: FBT001
    assert looks_truncated(value) is is_cut


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('{"a": "cut \\ud83d"}', {"a": "cut \ufffd"}, id="high-half"),
        pytest.param('{"a": "\\ude00 cut"}', {"a": "\ufffd cut"}, id="low-half"),
        pytest.param('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}, id="whole"),
        pytest.param('{"a": "\\\\ud83d"}', {"a": "\\ud83d"}, id="escaped-backslash"),
        pytest.param('{"a": NaN, "b": -Infinity}', {"a": "NaN", "b": "-Infinity"}, id="numbers"),
        pytest.param('{"a": NaN, "b": "\\ud83d"}', {"a": "NaN", "b": "\ufffd"}, id="both"),
        pytest.param(b'{"a": "cut \xe2\x82"}', {"a": "cut \ufffd"}, id="bytes"),
    ],
)
def test_irregular_json_loses_only_the_character(text: str | bytes, value: object) -> None:
    assert load_json(text) == value


@pytest.mark.parametrize("text", ['{"a": ', '{"a": "\\ud83d"', "{NaN", b"\xff"])
def test_json_that_is_none_is_still_refused(text: str | bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        load_json(text)


@pytest.mark.parametrize(("recorded", "session"), [('"conv-42"', "conv-42"), ("conv-42", "conv-42"), ('""', '""')])
def test_session_in_quotes_is_the_same(recorded: str, session: str) -> None:
    assert as_session_id(recorded) == session

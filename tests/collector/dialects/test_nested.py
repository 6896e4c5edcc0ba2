"""Objects out of one attribute for each value."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.collector.dialects.shared.nested import build_nested


@pytest.mark.parametrize(
    ("flat", "whole"),
    [
        ({"a": 1, "b.c": 2}, {"a": 1, "b": {"c": 2}}),
        ({"10": "k", "9": "j"}, ["j", "k"]),
        ({"a.1.b": 2, "a.0.b": 1}, {"a": [{"b": 1}, {"b": 2}]}),
        ({"a.0": 1, "a.b": 2}, {"a": {"0": 1, "b": 2}}),
        ({"a": 1, "a.b": 2}, {"a": {"b": 2}}),
        ({"a.b": 2, "a": 1}, {"a": {"b": 2}}),
        ({"a": {"b": 1}, "a.c": 2}, {"a": {"c": 2}}),
        ({}, {}),
    ],
    ids=["object", "list", "list of objects", "not all numbers", "both", "both, behind", "object beside", "nothing"],
)
def test_levels_of_keys_are_objects_and_lists(flat: dict[str, Any], whole: Any) -> None:
    assert build_nested(flat) == whole


def test_key_of_many_levels_can_be_written_again() -> None:
    deep = build_nested({".".join("a" * 5000): 1})
    assert len(str(deep)) < 20_000

"""What is made of the YAML that people write."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.config.yaml_file import YamlFile


def read(folder: Path, text: str) -> Any:
    """The value of a file with that text."""
    path = folder / "some.yaml"
    path.write_text(text, encoding="utf-8")
    return YamlFile(path).value


@pytest.mark.parametrize(
    "text", ["2026-11-22", "2026-11-22T12:30:00Z", "12:30", "yes", "No", "on", "1_000", "=", "0b11"]
)
def test_what_looks_like_a_word_is_a_text(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, f"args: {{of: {text}}}\n") == {"args": {"of": text}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("Null", None),
        ("true", True),
        ("FALSE", False),
        ("-12", -12),
        ("014", 14),
        ("0o14", 12),
        ("0x1F", 31),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-.inf", -math.inf),
        ("'12'", "12"),
    ],
)
def test_what_looks_like_a_value_of_json_is_one(tmp_path: Path, text: str, value: object) -> None:
    value_read = read(tmp_path, f"of: {text}\n")["of"]
    assert (value_read, type(value_read)) == (value, type(value))


def test_names_are_texts_as_they_are_written(tmp_path: Path) -> None:
    assert read(tmp_path, "{yes: 1, no: 0, 7: a, 2026-11-22: b, true: c, ~: d}") == {
        "yes": 1,
        "no": 0,
        "7": "a",
        "2026-11-22": "b",
        "true": "c",
        "~": "d",
    }


def test_anchors_and_merges_hold(tmp_path: Path) -> None:
    text = "base: &base {mode: any, at: 1}\nmine: {<<: *base, at: 2}\nagain: *base\n"
    value_read = read(tmp_path, text)
    assert value_read["mine"] == {"mode": "any", "at": 2}
    assert value_read["again"] == value_read["base"] == {"mode": "any", "at": 1}


def test_name_that_is_a_mapping_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match=r"line 2: .*a key of a mapping must be a string"):
        read(tmp_path, "one: 1\n? {a: b}\n: two\n")


def test_name_that_stands_twice_is_refused_however_it_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="line 2: '7' is already in line 1"):
        read(tmp_path, "7: a\n'7': b\n")

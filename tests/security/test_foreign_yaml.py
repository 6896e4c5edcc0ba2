"""YAML of others: nesting, aliases and merge keys are bounded before anything is built, with libyaml and without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.support.nightly import rest_at_night

from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.config.yaml_file import YamlFile
from tracegrade.collector.config.yaml_loader import MOST_DEPTH, OWN_DEPTH
from tracegrade.collector.conversion.recognition import open_file
from tracegrade.collector.errors import Fault
from tracegrade.collector.preview.entry import read_entry

CHAIN = [("a", "b0"), *((f"b{number}", f"b{number + 1}") for number in range(60))]
HOSTILE = {
    "lists": ("[" * 20_000, "nested deeper than 20 levels"),
    "mappings": ("{a: " * 5_000, "nested deeper than 20 levels"),
    "items": ("- " * 10_000, "nested deeper than 20 levels"),
    "keys": ("? " * 10_000, "nested deeper than 20 levels"),
    "aliases": (
        "a: &a [1, 1]\n" + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in CHAIN),
        "values, with those that aliases repeat",
    ),
    "merges": (
        "a: &a {x: 1}\n" + "".join(f"{new}: &{new} {{<<: [*{old}, *{old}]}}\n" for old, new in CHAIN),
        "values, with those that aliases repeat",
    ),
    "itself": ("a: &a [*a]", "contains itself"),
    "digits": ("a: " + "1" * 15_000, "not valid YAML or JSON"),
}
WITHOUT_LIBYAML = """
import sys, yaml
from tests.support.nightly import rest_at_night
del yaml.CSafeLoader
from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.config.yaml_loader import PlainLoader
from tracegrade.collector.preview.entry import read_entry
assert issubclass(PlainLoader, yaml.loader.SafeLoader)
assert read_entry("{use: tool_error, threshold: 0.8}").threshold == 0.8
try:
    read_entry(sys.stdin.read())
except BadConfiguration as error:
    print(error)
"""


@pytest.mark.parametrize(("text", "fault"), HOSTILE.values(), ids=HOSTILE)
def test_yaml_from_the_network_is_bounded(text: str, fault: str) -> None:
    with pytest.raises(BadConfiguration, match=fault):
        read_entry(text)


@pytest.mark.parametrize(("text", "fault"), rest_at_night(3, HOSTILE.values()), ids=HOSTILE)
def test_bounds_hold_without_libyaml(text: str, fault: str) -> None:
    command = [sys.executable, "-c", WITHOUT_LIBYAML]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True)
    assert fault in done.stdout


@pytest.mark.parametrize(("text", "fault"), HOSTILE.values(), ids=HOSTILE)
def test_eval_file_in_yaml_is_bounded(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Fault, match=fault), open_file(path):
        pass


def test_libyaml_is_used_where_it_is() -> None:
    from tracegrade.collector.config.yaml_loader import PlainLoader  # noqa: PLC0415 - as it is imported here

    assert not yaml.__with_libyaml__ or issubclass(PlainLoader, yaml.cyaml.CSafeLoader)


def test_file_larger_than_any_of_people_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("#" * (8 * 2**20 + 1), encoding="utf-8")
    with pytest.raises(BadConfiguration, match="more than 8,388,608 characters"):
        YamlFile(path)


def test_operators_own_files_may_be_deeper(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("[" * OWN_DEPTH + "]" * OWN_DEPTH, encoding="utf-8")
    YamlFile(path, depth=OWN_DEPTH)
    with pytest.raises(BadConfiguration, match=f"line 1: it is nested deeper than {MOST_DEPTH} levels"):
        YamlFile(path)


def test_merge_keys_within_the_bounds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "merged.yaml"
    path.write_text("a: &a {x: 1, y: 1}\nb: {<<: *a, y: 2}\n", encoding="utf-8")
    assert YamlFile(path).value == {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 2}}

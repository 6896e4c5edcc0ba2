"""The entry of an evaluator that runs, as YAML, as the configuration would have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import yaml

from tracegrade.evaluators.catalog.configure import definition_of
from tracegrade.evaluators.definition.registry import UnknownEvaluator

from ...ports import RunningEvaluator

__all__ = ["write_entry", "write_yaml"]

_ANY_WIDTH: Final = 2**31
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""Other texts are quoted: versions of YAML differ in which of them are numbers."""


def write_entry(running: Iterable[RunningEvaluator], name: str | None) -> str | None:
    """Return the entry of an evaluator as YAML; None if it is not of the catalogue: its code does not go over the
    web."""
    found = next((each for each in running if each.name == name), None)
    if found is None:
        return None
    try:
        definition = definition_of(found.type)
    except UnknownEvaluator:
        return None
    entry: dict[str, Any] = {"use": found.type}
    if found.name != found.type:
        entry["name"] = found.name
    if found.threshold is not None and found.threshold != definition.threshold:
        entry["threshold"] = found.threshold
    if found.options:
        entry["options"] = dict(found.options)
    if found.when is not None:
        entry["when"] = found.when
    if found.judge is not None:
        entry["judge"] = found.judge
    return write_yaml(entry)


def write_yaml(entry: Mapping[str, Any]) -> str:
    """Return a mapping as YAML, in which texts of several lines stay such where YAML can write them so."""
    return yaml.dump(dict(entry), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_ANY_WIDTH)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and what YAML does not know as text."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None if _WORD.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_multi_representer(object, lambda dumper, value: _represent_text(dumper, str(value)))

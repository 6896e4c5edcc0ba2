"""Reads an entry of `evaluators` that came over the web: it may choose and configure evaluators, but brings no code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import yaml
from pydantic import ValidationError

from ..config.configuration_file import BadConfiguration
from ..config.evaluator_config import EvaluatorEntry
from ..config.yaml_file import explain
from ..config.yaml_loader import PlainLoader, explain_yaml, refuse_excess

__all__ = ["read_entry"]

_KEYS: Final = (
    "use",
    "sql",
    "name",
    "options",
    "threshold",
    "when",
    "judge",
    "scope",
    "include_sub_agents",
    "include_foreign_calls",
)
_RUBRIC: Final = "rubric"
_MOST_VALUES: Final = 20_000


def read_entry(text: str) -> EvaluatorEntry:
    """Read one entry in YAML, or the criteria of a rubric. Raises BadConfiguration."""
    value = _load(text)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        raise BadConfiguration("write one entry of `evaluators`, such as {use: tool_error, threshold: 0.8}")
    if "criteria" in value and "use" not in value and "sql" not in value:
        value = _wrap_rubric(value)
    _refuse_other_keys(value)
    try:
        return EvaluatorEntry.model_validate(value)
    except ValidationError as error:
        raise BadConfiguration(explain(error, EvaluatorEntry, None)) from error


def _load(text: str) -> Any:
    try:
        refuse_excess(text, nodes=_MOST_VALUES)
        return yaml.load(text, PlainLoader)  # noqa: S506 - it is a SafeLoader
    except (yaml.YAMLError, ValueError) as error:
        line, problem = explain_yaml(error, text)
        raise BadConfiguration(f"line {line}: {problem}" if line else problem) from error


def _wrap_rubric(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry for the content of a file with a rubric; `name` and `judge` may stand beside it."""
    beside = {key: value[key] for key in ("name", "judge") if key in value}
    options = {key: content for key, content in value.items() if key not in beside}
    return {"use": _RUBRIC, "name": "draft", **beside, "options": options}


def _refuse_other_keys(value: Mapping[str, Any]) -> None:
    if unknown := [key for key in value if key not in _KEYS]:
        raise BadConfiguration(
            f"a preview on the web takes no `{unknown[0]}`, only {', '.join(_KEYS)}, or the `criteria` of a rubric; "
            "`tracegrade preview` takes the rest, from a file"
        )
    if value.get("use") == "defaults":
        raise BadConfiguration("`use: defaults` stands for several evaluators; name one of them")

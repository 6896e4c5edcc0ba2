"""YAML files that people write: read, and what is wrong in them said with its line and the nearest right word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from tracegrade.evaluators.hints import fields_at, hint

from .errors import Fault

__all__ = ["BadConfiguration", "YamlFile", "explain"]


class BadConfiguration(Fault):
    """The configuration cannot be used; the message names the key, where it stands, and what to write."""


class YamlFile:
    """A file, what it holds, and where in it each value stands. Raises BadConfiguration when it is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="utf-8")
            self._root = yaml.compose(text, yaml.SafeLoader)
            self.value = yaml.safe_load(text)
        except (OSError, UnicodeDecodeError) as error:
            raise BadConfiguration(f"{path} cannot be read: {error}") from error
        except yaml.YAMLError as error:
            raise BadConfiguration(f"{path} is not YAML: {error}") from error

    def place(self, keys: Sequence[str | int]) -> str:
        """`file, line 3` of the value under these keys, or of the last of them that is there."""
        node, line = self._root, 1
        for key in keys:
            found = _below(node, key)
            if found is None:
                break
            node, line = found
        return f"{self.path}, line {line}"


def explain(error: ValidationError, model: type[BaseModel], file: YamlFile | None, under: Sequence[str] = ()) -> str:
    """What is wrong with values that `model` refuses, a line a fault. `under` is where in the file they stand."""
    return "\n".join(_fault(fault, model, file, under) for fault in error.errors())


def _fault(fault: Mapping[str, Any], model: type[BaseModel], file: YamlFile | None, under: Sequence[str]) -> str:
    steps: tuple[str | int, ...] = tuple(fault["loc"])
    key = ".".join(map(str, (*under, *steps)))
    where = f"{file.place((*under, *steps))}: {key}" if file else key
    if fault["type"] != "extra_forbidden":
        return f"{where}: {fault['msg'].removeprefix('Value error, ')}"
    return f"{where}: there is no such setting{hint(str(steps[-1]), fields_at(model, steps[:-1]))}"


def _below(node: yaml.Node | None, key: str | int) -> tuple[yaml.Node, int] | None:
    """The node under a key or index, and the line where it begins."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(key):
                return value, name.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key], node.value[key].start_mark.line + 1
    return None

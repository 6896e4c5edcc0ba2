"""Reads YAML files, and explains mistakes in them with the line and the nearest valid word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from .configuration_file import BadConfiguration
from .yaml_loader import MOST_DEPTH, PlainLoader, explain_yaml, refuse_excess

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

__all__ = ["Advice", "YamlFile", "explain"]

Advice: TypeAlias = Callable[[Sequence[str | int], Any], str | None]
"""Suggests what to write instead of an unknown setting, by its keys and the mapping around it; None: no advice."""


class YamlFile:
    """A file with its value and the line of each part. Raises BadConfiguration if it cannot be read, is too large, or
    is nested deeper than `depth` levels, by default as deep as a file of others may be."""

    def __init__(self, path: Path, *, depth: int = MOST_DEPTH) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadConfiguration(f"{path} cannot be read: {error}") from error
        try:
            refuse_excess(text, depth=depth)
            self._root = yaml.compose(text, PlainLoader)
            _refuse_repeated(self._root, path)
            self.value = yaml.load(text, PlainLoader)  # noqa: S506 - it is a SafeLoader
        except (yaml.YAMLError, ValueError) as error:
            line, problem = explain_yaml(error, text)
            raise BadConfiguration(f"{path}{f', line {line}' if line else ''}: {problem}") from error

    def at(self, keys: Sequence[str | int]) -> Any:
        """Return the value under these keys. Raises LookupError."""
        value = self.value
        for key in keys:
            value = value[key]
        return value

    def place(self, keys: Sequence[str | int]) -> str:
        """Return `file, line 3` of the value under these keys, or of the last key that exists."""
        node, line = self._root, 1
        for key in keys:
            child = _find_below(node, key)
            if child is None:
                break
            node, line = child
        return f"{self.path}, line {line}"

    def may_contain(self, value: object, keys: Sequence[str | int]) -> bool:
        """Return whether `value` may come from this file; values of the command line or the environment do not."""
        content: Any = self.value
        for depth, key in enumerate(keys):
            try:
                content = content[key]
            except (LookupError, TypeError):
                return depth > 0
        return isinstance(value, (dict, list, tuple)) or content is value or content == value


def explain(
    error: ValidationError,
    model: type[BaseModel],
    file: YamlFile | None,
    under: Sequence[str] = (),
    *,
    advise: Advice | None = None,
) -> str:
    """Explain why `model` refuses values, one line per mistake. `under` is their place in the file."""
    from tracegrade.evaluators.text.validation_errors import faults  # noqa: PLC0415 - imports pydantic, which not every reader of a file needs

    return "\n".join(_explain_fault(fault, model, file, under, advise) for fault in faults(error))


def _explain_fault(
    fault: Mapping[str, Any],
    model: type[BaseModel],
    file: YamlFile | None,
    under: Sequence[str],
    advise: Advice | None,
) -> str:
    from tracegrade.evaluators.text.suggestions import fields_at, hint  # noqa: PLC0415 - likewise
    from tracegrade.evaluators.text.validation_errors import reason  # noqa: PLC0415 - likewise
    from tracegrade.evaluators.text.validation_errors import steps as keys_of  # noqa: PLC0415 - likewise

    steps = keys_of(fault)
    key = ".".join(map(str, (*under, *steps)))
    known = steps[:-1] if fault["type"] == "missing" else steps
    is_of_file = file is not None and file.may_contain(fault["input"], (*under, *known))
    place = file.place((*under, *steps)) if file and is_of_file else ""
    if fault["type"] != "extra_forbidden":
        text = reason(fault)
    elif file and is_of_file and advise and (advice := advise(steps, file.at((*under, *steps[:-1])))):
        text = advice
    else:
        text = f"unknown setting{hint(str(steps[-1]), fields_at(model, steps[:-1]))}"
    return ": ".join(filter(None, (place, key, text)))


def _refuse_repeated(root: yaml.Node | None, path: Path) -> None:
    """Refuse a key that is repeated in one mapping: YAML would silently use the last one. Raises BadConfiguration."""
    waiting: list[yaml.Node | None] = [root]
    checked: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in checked:
            continue
        checked.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            _refuse_twice([key for key, _ in node.value if isinstance(key, yaml.ScalarNode)], path)
            waiting += [value for _, value in node.value]


def _refuse_twice(keys: Iterable[yaml.ScalarNode], path: Path) -> None:
    lines: dict[str, int] = {}
    for key in keys:
        line, word = key.start_mark.line + 1, key.value
        if word in lines:
            raise BadConfiguration(f"{path}, line {line}: {word!r} is already in line {lines[word]}; keep one")
        lines[word] = line


def _find_below(node: yaml.Node | None, key: str | int) -> tuple[yaml.Node, int] | None:
    """Return the node under a key or index, and its line."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(key):
                return value, name.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key], node.value[key].start_mark.line + 1
    return None

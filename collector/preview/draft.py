"""What a preview evaluates with: an evaluator of the configuration or the catalogue, or a draft in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from tracegrade.evaluators.catalog.build import name_of
from tracegrade.evaluators.catalog.configure import catalogue, definition_of
from tracegrade.evaluators.catalog.specification import WrongSpec
from tracegrade.evaluators.definition.registry import Configured, UnknownEvaluator
from tracegrade.evaluators.text.suggestions import nearest

from ..client.settings import dry_run
from ..config.evaluator_config import DEFAULTS, EvaluatorEntry
from ..config.evaluator_set import configured
from ..config.settings import Settings, evaluators_of, judges_of
from ..config.yaml_file import BadConfiguration, YamlFile, explain
from ..errors import Fault

__all__ = ["Draft", "resolve_draft"]

_YAML: Final = (".yaml", ".yml")
_WAYS: Final = ("use", "python", "sql", "command", "combine", "rubric")


@dataclass(frozen=True, slots=True)
class Draft:
    """An evaluator to preview, and where it comes from: `configuration`, `catalogue` or the file or function."""

    evaluator: Configured
    source: str


class _Fragment(YamlFile):
    """A file that holds one entry of `evaluators`, by itself or as a list of one: it is read as if it stood first
    there, and what is wrong in it is told with the lines of this file. Raises BadConfiguration."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        entries = self.value if isinstance(self.value, list) else [self.value]
        if len(entries) != 1 or not isinstance(entries[0], dict):
            raise BadConfiguration(
                f"{path}, line 1: write one entry of `evaluators`, such as {{use: tool_error, threshold: 0.8}}, "
                "or the criteria of a rubric"
            )
        self.entry: dict[str, Any] = entries[0]

    def place(self, keys: Sequence[str | int]) -> str:
        """Of keys below the entry, or below `evaluators`, whose other entries stand elsewhere."""
        if keys[:1] == ("evaluators",):
            if keys[1:2] != (0,):
                return "the configuration"
            keys = keys[2:]
        return super().place(self._below(keys))

    def may_say(self, value: object, keys: Sequence[str | int]) -> bool:
        return super().may_say(value, self._below(keys))

    def _below(self, keys: Sequence[str | int]) -> Sequence[str | int]:
        return (0, *keys) if isinstance(self.value, list) else keys


def resolve_draft(word: str, settings: Settings) -> Draft:
    """The evaluator that `word` means: a name of the configuration or the catalogue, a file, or `module:function`.

    Raises Fault, with file and line where something is wrong in a file.
    """
    of_configuration = next((each for each in evaluators_of(settings) if each.name == word), None)
    if of_configuration is not None:
        return Draft(of_configuration, "configuration")
    if word in catalogue():
        return Draft(_build(EvaluatorEntry(use=word), settings), "catalogue")
    path = Path(word)
    if path.suffix in _YAML:
        return Draft(_build_from_yaml(path, settings), word)
    if path.suffix == ".sql":
        return Draft(_build(EvaluatorEntry(sql=word, name=path.stem), settings), word)
    if path.suffix == ".py":
        raise Fault(f"{word} is a module; name the function in it: {word}:FUNCTION")
    if ":" in word:
        return Draft(_build_from_function(word, settings), word)
    raise Fault(_explain_unknown(word, settings))


def _build_from_yaml(path: Path, settings: Settings) -> Configured:
    file = _Fragment(path)
    if "evaluators" in file.entry:
        raise BadConfiguration(f"{path} is a whole configuration: tracegrade preview NAME --config {path}")
    if "criteria" in file.entry and not any(way in file.entry for way in _WAYS):
        return _build(EvaluatorEntry(rubric=path), settings)
    try:
        entry = EvaluatorEntry.model_validate(file.entry)
    except ValidationError as error:
        raise BadConfiguration(explain(error, EvaluatorEntry, file)) from error
    if entry.use == "defaults":
        raise BadConfiguration(f"{path}, line 1: `use: defaults` stands for several evaluators; name one of them")
    return _build(entry, settings, file)


def _build_from_function(word: str, settings: Settings) -> Configured:
    try:
        return _build(EvaluatorEntry(python=word), settings)
    except BadConfiguration as bad:
        try:
            definition_of(word)  # its message has the nearest name of the catalogue
        except UnknownEvaluator as unknown:
            if nearest(word, catalogue()):
                raise Fault(str(unknown)) from bad
        raise


def _build(entry: EvaluatorEntry, settings: Settings, file: YamlFile | None = None) -> Configured:
    """The evaluator of an entry, built as if it stood first in the configuration, in place of one of its name: others
    may be named by its `combine` and `after`."""
    name = _name_of(entry)
    others = [other for other in _expand_defaults(settings.evaluators) if name is None or _name_of(other) != name]
    try:
        evaluators = configured([entry, *others], file, judges=judges_of(settings), dry_run=dry_run)
    except BadConfiguration as bad:
        raise BadConfiguration(str(bad) if file else str(bad).removeprefix("evaluators: ")) from bad
    return evaluators[0]


def _expand_defaults(entries: Sequence[EvaluatorEntry] | None) -> Iterator[EvaluatorEntry]:
    for entry in entries if entries is not None else (EvaluatorEntry(use="defaults"),):
        if entry.use == "defaults":
            yield from (EvaluatorEntry(use=use) for use in DEFAULTS)
        else:
            yield entry


def _name_of(entry: EvaluatorEntry) -> str | None:
    """None where an entry has none; then it cannot be built, and is told so."""
    if entry.rubric is not None:
        return entry.name or entry.rubric.stem
    try:
        return name_of(entry.spec)
    except WrongSpec:
        return None


def _explain_unknown(word: str, settings: Settings) -> str:
    known = [*(each.name for each in evaluators_of(settings)), *catalogue()]
    return (
        f"no evaluator is called {word!r}{nearest(word, known)}; `tracegrade evaluators` lists them. A draft is a file "
        "(.yaml, .sql) or a function (module:function, path/to/file.py:function)"
    )

"""Resolves the evaluator of a preview: one of the configuration or the catalogue, or a draft in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from tracegrade.evaluators.catalog.build import name_of
from tracegrade.evaluators.catalog.configure import catalogue, definition_of
from tracegrade.evaluators.catalog.source_names import source_hint
from tracegrade.evaluators.catalog.specification import WrongSpec
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured, UnknownEvaluator
from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.queries import fence
from tracegrade.queries.catalog import statement

from ..client.query import Read
from ..client.settings import dry_run
from ..config.configuration_file import BadConfiguration
from ..config.evaluator_config import DEFAULTS, KINDS_OF_ENTRIES, EvaluatorEntry
from ..config.evaluator_set import Build, build_evaluators
from ..config.settings import Settings, evaluators_of, judges_of
from ..config.yaml_file import YamlFile, explain
from ..errors import Fault
from ..store.ledger.dry_run import find_sql_mistakes
from ..store.ledger.sql_answer import read_answer

__all__ = ["Draft", "build_draft", "resolve_draft"]

_YAML: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Draft:
    """An evaluator to preview, and where it comes from: `configuration`, `catalogue` or the file or function."""

    evaluator: Configured
    source: str


class _Fragment(YamlFile):
    """A file with one entry of `evaluators`, alone or as a list of one. It is read as the first entry there, and its
    mistakes are reported with the lines of this file. Raises BadConfiguration."""

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
        """Return the place of keys below the entry, or below `evaluators`, whose other entries are in another file."""
        if keys[:1] == ("evaluators",):
            if keys[1:2] != (0,):
                return "the configuration"
            keys = keys[2:]
        return super().place(self._extend(keys))

    def may_contain(self, value: object, keys: Sequence[str | int]) -> bool:
        return super().may_contain(value, self._extend(keys))

    def _extend(self, keys: Sequence[str | int]) -> Sequence[str | int]:
        return (0, *keys) if isinstance(self.value, list) else keys


def resolve_draft(word: str, settings: Settings) -> Draft:
    """Resolve `word`: a name of the configuration or the catalogue, a file, or `module:function`.

    Raises Fault, with file and line for a mistake in a file.
    """
    named = (evaluator for evaluator in evaluators_of(settings) if evaluator.name == word)
    if (evaluator := next(named, None)) is not None:
        return Draft(evaluator, "configuration")
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


def build_draft(
    entry: EvaluatorEntry, settings: Settings, *, build_with: Build | None = None, read: Read | None = None
) -> Draft:
    """Build the evaluator of an entry that anyone may have sent: it names no other entries, and neither code nor
    programs nor files.

    What an entry can make slow is not done in this process if there is another: `build_with` builds it, and its SQL is
    tried by `read`. Raises BadConfiguration.
    """
    if entry.sql is not None and entry.name is None:
        entry = entry.model_copy(update={"name": "draft"})
    try_sql = dry_run if read is None else partial(find_sql_mistakes, trial=_ThroughFence(read))
    try:
        (evaluator,) = build_evaluators([entry], judges=judges_of(settings), dry_run=try_sql, build_with=build_with)
    except BadConfiguration as error:
        raise BadConfiguration(str(error).replace("evaluators: ", "")) from error
    return Draft(evaluator, "entry")


class _ThroughFence:
    """Implements Trial by queries of a source, which may run them in processes of their own."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def find_type(self, condition: str, *, after: Sequence[str]) -> str:  # noqa: ARG002 - entries of others name no others
        return self._read(statement("condition_type", condition=condition)).columns[0].type

    def list_functions(self, select: str) -> Iterable[str]:
        (tree,) = self._read("select json_serialize_sql($sql) as tree", parameters={"sql": select}).table["tree"]
        return fence.called_in(tree.as_py())

    def list_volatile(self) -> Iterable[str]:
        names: list[str] = self._read(statement("volatile_functions")).table["name"].to_pylist()
        return names

    def check_query(self, evaluator: Configured) -> None:
        query = fence.without_end(evaluator.sql or "")
        self.list_functions(query)  # which says so if it is no query at all
        over_runs = fence.without_end(statement("query_over_runs", query=query))
        columns = self._read(statement("query_columns", query=over_runs), parameters={"agent_trace_ids": ""})
        read_answer(columns)


def _build_from_yaml(path: Path, settings: Settings) -> Configured:
    file = _Fragment(path)
    if "evaluators" in file.entry:
        raise BadConfiguration(f"{path} is a whole configuration: tracegrade preview NAME --config {path}")
    if "criteria" in file.entry and not any(way in file.entry for way in KINDS_OF_ENTRIES):
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
    except BadConfiguration as error:
        try:
            definition_of(word)  # its message has the nearest name of the catalogue
        except UnknownEvaluator as unknown:
            if nearest(word, catalogue()):
                raise Fault(str(unknown)) from error
        raise


def _build(entry: EvaluatorEntry, settings: Settings, file: YamlFile | None = None) -> Configured:
    """Build the evaluator of an entry as the first of the configuration, in place of one of the same name, since its
    `combine` and `after` may name other entries."""
    name = _find_name(entry)
    present = _expand_defaults(settings.evaluators)
    rest = [candidate for candidate in present if name is None or _find_name(candidate) != name]
    try:
        evaluators = build_evaluators(
            [entry, *rest], file, judges=judges_of(settings), dry_run=dry_run, resolve=import_function
        )
    except BadConfiguration as error:
        raise BadConfiguration(str(error) if file else str(error).removeprefix("evaluators: ")) from error
    return evaluators[0]


def _expand_defaults(entries: Sequence[EvaluatorEntry] | None) -> Iterator[EvaluatorEntry]:
    for entry in entries if entries is not None else (EvaluatorEntry(use="defaults"),):
        if entry.use == "defaults":
            yield from (EvaluatorEntry(use=use) for use in DEFAULTS)
        else:
            yield entry


def _find_name(entry: EvaluatorEntry) -> str | None:
    """Find the name of an entry; None if it has none, and so cannot be built."""
    if entry.rubric is not None:
        return entry.name or entry.rubric.stem
    try:
        return name_of(entry.spec)
    except WrongSpec:
        return None


def _explain_unknown(word: str, settings: Settings) -> str:
    names = [*(evaluator.name for evaluator in evaluators_of(settings)), *catalogue()]
    source = source_hint(word)
    return (
        f"no evaluator is named {word!r}{f': {source}' if source else nearest(word, names)}; `tracegrade evaluators` "
        "lists them. A draft is a file (.yaml, .sql) or a function (module:function, path/to/file.py:function)"
    )

"""Builds the evaluators of a configuration from its entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from tracegrade.evaluators.catalog.build import build, name_of
from tracegrade.evaluators.catalog.judge_identity import identify_with_judge
from tracegrade.evaluators.catalog.specification import Spec, WrongSpec
from tracegrade.evaluators.custom.combine import WrongMembers, with_members
from tracegrade.evaluators.definition.function_path import CONFIGURATION_ONLY, Resolve
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.passes.schedule import BadSchedule, next_time
from tracegrade.evaluators.text.suggestions import hint

from .configuration_file import BadConfiguration
from .dependencies import Mistake, find_mistakes
from .evaluator_config import DEFAULTS, EvaluatorEntry

if TYPE_CHECKING:
    from .yaml_file import YamlFile

__all__ = ["Build", "DryRun", "build_evaluators"]

Build: TypeAlias = Callable[[Spec], Configured]
"""Builds an evaluator from its specification. Raises WrongSpec."""

DryRun: TypeAlias = Callable[[Sequence[Configured]], Iterable[Mistake]]
"""Tries the SQL of evaluators; returns for each mistake the evaluator, the keys below its entry, and the message."""

_SOME_TIME: Final = datetime(2000, 1, 1)  # noqa: DTZ001 - only to check whether a schedule is valid


class _Faults:
    """Mistakes in the entries, each with its place in the file."""

    def __init__(self, file: YamlFile | None) -> None:
        self._file = file
        self._texts: list[str] = []
        self.rubric_files: dict[int, YamlFile] = {}

    def add(self, text: str, *keys: str | int) -> None:
        """Add a mistake under these keys of the entries; the options of some are in a separate file."""
        if len(keys) > 1 and keys[1] == "options" and isinstance(keys[0], int) and keys[0] in self.rubric_files:
            self._texts.append(f"{self.rubric_files[keys[0]].place(keys[2:])}: {text}")
            return
        place = f"{self._file.place(('evaluators', *keys))}: " if self._file else ""
        self._texts.append(f"{place}evaluators: {text}")

    def report(self) -> None:
        """Raise BadConfiguration if there are mistakes; a mistake in a shared file is reported once."""
        if self._texts:
            raise BadConfiguration("\n".join(dict.fromkeys(self._texts)))


def build_evaluators(
    entries: Sequence[EvaluatorEntry] | None,
    file: YamlFile | None = None,
    *,
    judges: Mapping[str, Judge] | None = None,
    dry_run: DryRun | None = None,
    resolve: Resolve | None = None,
    build_with: Build | None = None,
) -> list[Configured]:
    """Build the evaluators of a configuration; `judges` are those that they may ask.

    Only entries of the operator come with a `resolve`: others may name neither code nor programs nor files (see
    `build`), and `build_with` may build them in another process. `dry_run` tries their SQL. Raises BadConfiguration,
    with the line in `file`.
    """
    faults = _Faults(file)
    entries_by_name: dict[str, tuple[int, Spec]] = {}
    for index, spec in _list_specs(
        entries if entries is not None else (EvaluatorEntry(use="defaults"),), faults, resolve
    ):
        try:
            name = name_of(spec)
        except WrongSpec as error:
            faults.add(str(error), index)
            continue
        if name in entries_by_name:
            both = [entries[at].use for at in (entries_by_name[name][0], index)] if entries else []
            faults.add(_describe_clash(name, with_defaults="defaults" in both), index)
        entries_by_name.setdefault(name, (index, spec))
    specs = {name: spec for name, (_, spec) in entries_by_name.items()}
    builder = _Builder(specs, judges or {}, faults, build_with or partial(build, resolve=resolve))
    built = {name: builder.build(name, index) for name, (index, _) in entries_by_name.items()}
    faults.report()
    evaluators = {name: evaluator for name, evaluator in built.items() if evaluator is not None}
    for name, keys, text in find_mistakes(evaluators):
        faults.add(text, entries_by_name[name][0], *keys)
    faults.report()
    for name, keys, text in dry_run([*evaluators.values()]) if dry_run else ():
        faults.add(text, entries_by_name[name][0], *keys)
    faults.report()
    return list(evaluators.values())


def _describe_clash(name: str, *, with_defaults: bool) -> str:
    if with_defaults:
        return f"`defaults` already contains {name!r}; give yours a `name`, or list evaluators instead of `defaults`"
    return f"two entries are called {name!r}; give one of them a `name`"


def _list_specs(
    entries: Sequence[EvaluatorEntry], faults: _Faults, resolve: Resolve | None
) -> Iterator[tuple[int, Spec]]:
    """Yield each specification with the index of its entry."""
    for index, entry in enumerate(entries):
        if entry.rubric is not None and resolve is None:
            faults.add(f"`rubric`: a file {CONFIGURATION_ONLY}", index, "rubric")
        elif entry.rubric is not None:
            yield index, _build_rubric_spec(entry.rubric, entry, index, faults)
        elif entry.use != "defaults":
            yield index, entry.spec
        elif entry.model_fields_set != {"use"}:
            faults.add("`use: defaults` has no further keys; name an evaluator to configure it", index)
        else:
            yield from ((index, {"use": use, "only_with_reference": only}) for use, only in DEFAULTS.items())


def _build_rubric_spec(path: Path, entry: EvaluatorEntry, index: int, faults: _Faults) -> Spec:
    """Return the specification of a rubric, with the content of the file as its options.

    It is named after the file by default.
    """
    spec = {"use": "rubric", "name": path.stem, **entry.spec}
    if entry.options is not None:
        faults.add("the options of a rubric are in its file; leave `options` out", index, "options")
    from .yaml_file import YamlFile  # noqa: PLC0415 - few configurations have rubrics

    try:
        file = YamlFile(path)
    except BadConfiguration as error:
        faults.add(str(error), index, "rubric")
        return {**spec, "options": {"criteria": "unread"}}
    if not isinstance(file.value, dict):
        faults.add(f"{path} does not contain a rubric; it needs `criteria: …`", index, "rubric")
        return {**spec, "options": {"criteria": "unread"}}
    faults.rubric_files[index] = file
    return {**spec, "options": file.value}


class _Builder:
    """Builds evaluators from their specifications, and collects the mistakes in them."""

    def __init__(
        self, specs: Mapping[str, Spec], judges: Mapping[str, Judge], faults: _Faults, build_with: Build
    ) -> None:
        self._specs = specs
        self._build = build_with
        self._judges = judges
        self._faults = faults

    def build(self, name: str, index: int) -> Configured | None:
        """Build the evaluator of that name from the entry at that index; None if it is invalid."""
        spec = self._specs[name]
        try:
            if schedule := spec.get("schedule"):
                next_time(schedule, _SOME_TIME)
            return self._include_judge(self._build(with_members(name, spec, self._specs)), index)
        except BadSchedule as error:
            self._faults.add(str(error), index, "schedule")
        except WrongMembers as error:
            self._faults.add(str(error), index, "combine", "of", error.member)
        except WrongSpec as error:
            for keys, text in error.faults:
                self._faults.add(text, index, *keys)
        return None

    def _include_judge(self, evaluator: Configured, index: int) -> Configured | None:
        """Include the judge in the evaluator's identity."""
        if evaluator.asks is None:
            return evaluator
        judge = self._judges.get(evaluator.asks)
        if judge is None:
            self._faults.add(_explain_missing_judge(evaluator, self._judges), index, "judge")
            return None
        return identify_with_judge(evaluator, judge)


def _explain_missing_judge(asking: Configured, judges: Mapping[str, Judge]) -> str:
    if not judges:
        return (
            f"{asking.name!r} asks the judge {asking.asks!r}, but none is configured; write "
            f"`judges: {{{asking.asks}: {{model: …}}}}` beside `evaluators`"
        )
    near = hint(asking.asks or "", sorted(judges))
    return f"{asking.name!r} asks the judge {asking.asks!r}, which is not in `judges`{near}"

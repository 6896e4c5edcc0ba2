"""A labelled run: the files that hold it, and the evaluators that its label says must fail it."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BadLabel", "Case", "read_cases"]

_LABEL = ".label.json"
_TRACES = (".traces.pb", ".traces.pb.gz")
_LOGS = (".logs.pb", ".logs.pb.gz")


class BadLabel(ValueError):
    """A label that cannot be read, or that has no run beside it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A run and its label. `name` is the path in the folder, without an ending."""

    name: str
    files: tuple[Path, ...]
    expected: frozenset[str]
    why: str


def read_cases(folder: Path, known: Collection[str]) -> list[Case]:
    """The labelled runs in a folder and in those below it. A label may name the evaluators of `known`.

    Raises BadLabel, naming the file and what to write instead, also where there is no label at all.
    """
    files = sorted(folder.rglob(f"*{_LABEL}"))
    if not files:
        raise BadLabel(f"{folder}: there is no NAME{_LABEL} in it; put one beside each NAME{_TRACES[0]}")
    return [_read_case(folder, file, known) for file in files]


def _read_case(folder: Path, file: Path, known: Collection[str]) -> Case:
    failing, why = _read_label(file)
    unknown = [name for name in failing if name not in known]
    if unknown:
        raise BadLabel(f"{file}: no evaluator is named {unknown[0]!r}; use one of {', '.join(sorted(known))}")
    stem = file.name.removesuffix(_LABEL)
    traces = [path for ending in _TRACES if (path := file.with_name(stem + ending)).is_file()]
    if not traces:
        raise BadLabel(f"{file}: there is no {stem}{_TRACES[0]} beside it")
    logs = [path for ending in _LOGS if (path := file.with_name(stem + ending)).is_file()]
    name = file.relative_to(folder).as_posix().removesuffix(_LABEL)
    return Case(name, (*traces, *logs), frozenset(failing), why)


def _read_label(file: Path) -> tuple[list[str], str]:
    shape = 'write {"failing": [evaluator, …], "why": "one line"}'
    try:
        label = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadLabel(f"{file}: not valid JSON: {error}; {shape}") from error
    failing, why = (label.get("failing"), label.get("why")) if isinstance(label, dict) else (None, None)
    if not isinstance(failing, list) or not all(isinstance(name, str) for name in failing):
        raise BadLabel(f"{file}: `failing` is not a list of names; {shape}")
    if not isinstance(why, str):
        raise BadLabel(f"{file}: `why` is not a text; {shape}")
    return failing, why

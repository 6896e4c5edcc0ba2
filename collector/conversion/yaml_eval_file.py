"""Reads AgentV's eval files in YAML, with the files that their messages name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tracegrade.evaluators.formats.agentv.kind import KIND, claim, read_suite
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import DetectedFile, UnknownKind
from tracegrade.evaluators.formats.record import Record

from ..config.yaml_file import YamlFile
from .attachment import read_attachment

__all__ = ["read_yaml_file"]


def read_yaml_file(path: Path, kind: str | None) -> DetectedFile:
    """Return the eval file at `path`. Raises UnknownKind if it is none, and BadConfiguration if it is not YAML."""
    source = YamlFile(path)
    recognised = claim(Record("line 1", source.value))
    if kind not in {None, KIND.name} or not recognised.strength:
        wanted = "" if kind is None else f" of the kind {kind}"
        raise UnknownKind(
            f"a file in YAML{wanted} cannot be read, only an eval file of AgentV, which has tests or evalcases"
        )
    return DetectedFile(KIND, recognised.reason if kind is None else "", _read(source, path))


def _read(source: YamlFile, path: Path) -> Iterator[Imported | RecordFault]:
    def find_line(keys: Sequence[str | int]) -> str:
        return source.place(keys).removeprefix(f"{path}, ")

    try:
        yield from read_suite(source.value, find_line, partial(read_attachment, path.parent))
    except ValueError as error:
        yield RecordFault("line 1", str(error))

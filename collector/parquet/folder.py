"""The folder of an export: its files, and the state that the next export continues from.

A file is written beside its place and moved there when all files are complete; the state is written last. After a
crash the state is that of the former export, so that the next one writes again whatever may have changed since.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from ..errors import Fault
from ..system.private_file import create_private_file, flush_to_disk, move_in_place
from .days import RELATIONS, DayKey

__all__ = ["DELETIONS", "STATE", "ExportFolder", "ExportState", "open_folder"]

STATE: Final = "tracegrade-export.json"
DELETIONS: Final = "deletions"
_DRAFT: Final = ".part"
_FORM: Final = 1
_USAGE: Final = 2
_UNWRITABLE: Final = 4


@dataclass(frozen=True, slots=True)
class ExportState:
    """The number of completed exports, and the digests of the days that the files hold."""

    exports: int = 0
    digests: Mapping[DayKey, str] = field(default_factory=dict)


class ExportFolder:
    """The folder of an export, which this process has locked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = _read_state(path)

    def file(self, key: DayKey) -> Path:
        """Return the path of the file of a day."""
        relation, day = key
        return self.path / relation / f"day={day}" / f"{relation}.parquet"

    def deletions_file(self) -> Path:
        """Return the path of the list of deleted rows that this export writes, if any are deleted."""
        return self.path / DELETIONS / f"export={self.state.exports + 1}" / f"{DELETIONS}.parquet"

    def list_keys(self) -> set[DayKey]:
        """Return the days that have a file."""
        files = (file for relation in RELATIONS for file in self.path.glob(f"{relation}/day=*/{relation}.parquet"))
        return {(file.parents[1].name, file.parent.name.removeprefix("day=")) for file in files}

    def write_draft(self, file: Path, portions: Iterable[bytes]) -> None:
        """Write the future content of a file beside its place. Raises OSError."""
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = _draft_of(file)
        with create_private_file(draft) as target:
            target.writelines(portions)
        flush_to_disk(draft)

    def draft_of(self, key: DayKey) -> Path:
        """Return the path of the draft of a day."""
        return _draft_of(self.file(key))

    def publish(self, files: Iterable[Path], removed: Iterable[Path], digests: Mapping[DayKey, str]) -> None:
        """Move the drafts of `files` to their places, delete the files `removed`, and write the state."""
        for file in files:
            move_in_place(_draft_of(file), file)
        for file in removed:
            if file.exists():
                file.unlink()
                _remove_empty(file.parent)
        self._write_state(ExportState(self.state.exports + 1, digests))

    def begin(self) -> None:
        """Mark the folder as that of an export, and delete what an interrupted one left."""
        if not (self.path / STATE).exists():
            self._write_state(self.state)
        for draft in self.path.glob(f"*/*/*{_DRAFT}"):
            draft.unlink()
            _remove_empty(draft.parent)

    def _write_state(self, state: ExportState) -> None:
        days: dict[str, dict[str, str]] = {}
        for (relation, day), digest in sorted(state.digests.items()):
            days.setdefault(relation, {})[day] = digest
        content = {"form": _FORM, "exports": state.exports, "digests": days}
        file = self.path / STATE
        self.write_draft(file, [orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)])
        move_in_place(_draft_of(file), file)


@contextmanager
def open_folder(path: Path) -> Iterator[ExportFolder]:
    """Lock the folder, or create it, and yield it.

    Raises Fault if another process exports to it, if it has other files than those of an export, or if it cannot be
    written.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(path):
            folder = ExportFolder(path)
            folder.begin()
            yield folder
    except OSError as error:
        raise Fault(f"{path} cannot be written: {error}", exit_code=_UNWRITABLE) from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Fault(
                f"another process exports to {path}; try again when it is done", exit_code=_UNWRITABLE
            ) from error
        yield
    finally:
        os.close(descriptor)


def _read_state(path: Path) -> ExportState:
    try:
        content: Any = orjson.loads((path / STATE).read_bytes())
        if content["form"] != _FORM:
            raise Fault(f"{path / STATE} was written by another version; export to another folder", exit_code=_USAGE)
        days = content["digests"].items()
        digests = {(relation, day): digest for relation, by_day in days for day, digest in by_day.items()}
        return ExportState(int(content["exports"]), digests)
    except FileNotFoundError:
        if any(each.suffix != _DRAFT for each in path.iterdir()):
            raise Fault(
                f"{path} is not empty, and not the folder of an export: name another folder", exit_code=_USAGE
            ) from None
        return ExportState()
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Fault(
            f"{path / STATE} is damaged: delete the folder, and export everything again", exit_code=_USAGE
        ) from error


def _draft_of(file: Path) -> Path:
    return file.with_name(f"{file.name}{_DRAFT}")


def _remove_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()

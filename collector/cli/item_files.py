"""Reads the items of files for `tracegrade dataset`, in constant memory but for their ids, and writes them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from tracegrade.evaluators.experiments.dataset_file import explain_repetition
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.item_kinds import ITEMS, load_all_kinds, make_entry, make_item
from tracegrade.evaluators.formats.imported import RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind
from tracegrade.evaluators.text.suggestions import hint

from ..conversion.recognition import open_file
from ..errors import Fault
from .console import console
from .fault_report import FaultReport

__all__ = ["choose_writer", "open_item_files"]


def open_item_files(
    files: Sequence[Path], kind: str | None, report: FaultReport, *, strict: bool
) -> Iterator[DatasetItem]:
    """Recognise the files, print their kinds, and return their items, which are read while they are used.

    With `strict`, all files are read before. Raises Fault.
    """
    names = [_recognise(path, kind) for path in files]
    if strict:
        for path, name in zip(files, names, strict=True):
            for _ in _read_items(path, name, report):
                pass
        report.refuse()
    return chain.from_iterable(_read_items(path, name, report) for path, name in zip(files, names, strict=True))


def _recognise(path: Path, kind: str | None) -> str:
    """Return the name of the kind of a file, and print it unless it is a file of items."""
    try:
        with open_file(path, kind, default=ITEMS) as file:
            name, reason = file.kind.name, file.reason
    except UnknownKind as error:
        raise Fault(str(error)) from error
    if kind is None and name != ITEMS:
        console().print(f"{path}: {name} ({reason})", markup=False)
    return name


def _read_items(path: Path, kind: str, report: FaultReport) -> Iterator[DatasetItem]:
    """Yield the items of a file; those that cannot be read, and those with an id of an earlier one, are reported."""
    seen: dict[str, tuple[str, bytes]] = {}
    with open_file(path, kind) as file:
        for entry in file.entries:
            if isinstance(entry, RecordFault):
                report.add(path, entry)
                continue
            try:
                item = make_item(entry)
            except ValueError as error:
                report.add(path, RecordFault(entry.place, str(error)))
                continue
            digest = hashlib.sha256(str(item.input).encode()).digest()[:8]
            place, earlier = seen.setdefault(item.id, (entry.place, digest))
            if place != entry.place:
                reason = explain_repetition(item, place, has_same_input=earlier == digest)
                report.add(path, RecordFault(entry.place, reason))
                continue
            yield item


def choose_writer(kind: str | None) -> Callable[[Iterable[DatasetItem]], Iterator[str]]:
    """Return the function that writes items as a file of this kind; None: as items. Raises Fault."""
    kinds = load_all_kinds()
    name = ITEMS if kind is None else kind
    writable = [known for known, each in kinds.items() if each.write is not None and each.writes_items]
    if name not in writable or (write := kinds[name].write) is None:
        raise Fault(f"datasets cannot be written as {name!r}{hint(name, writable)}; kinds: {', '.join(writable)}")
    return lambda items: write(map(make_entry, items))

"""The kinds of files, and which of them a file is of.

Their modules are imported when a file is read, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import chain, islice
from typing import BinaryIO, Final

from ..text.suggestions import hint
from .imported import Imported, RecordFault
from .kind import Claim, Kind
from .record import Record
from .records import read_stream

__all__ = ["MODULES", "DetectedFile", "UnknownKind", "find_kind", "load_kinds", "read_file"]

MODULES: Final[Mapping[str, str]] = {
    "adk": "adk.kind",
    "agentevals": "agentevals_file",
    "agentv": "agentv.kind",
    "atif": "atif.kind",
    "claude-code": "claude_code.kind",
    "codex": "codex.kind",
    "floeval": "floeval.kind",
    "gl": "gl_file",
    "langchain": "langchain_file",
    "openai": "openai_file",
}
"""The module of each kind, below this package; its `KIND` is the kind."""

_LOOKED_AT: Final = 20
_SURE: Final = 3


class UnknownKind(ValueError):
    """It is not clear of which kind a file is; the message lists the kinds."""


@dataclass(frozen=True, slots=True)
class DetectedFile:
    """A file of which the kind is known. `reason` says by which fields; it is empty if the kind was given."""

    kind: Kind
    reason: str
    entries: Iterator[Imported | RecordFault]


def load_kinds() -> Mapping[str, Kind]:
    """Import the kinds; return them by name."""
    package = __name__.rpartition(".")[0]
    return {name: import_module(f"{package}.{module}").KIND for name, module in MODULES.items()}


def read_file(
    file: BinaryIO,
    name: str | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    default: str | None = None,
    open_sub_agent: Callable[[str, str], Iterable[Record] | None] | None = None,
) -> DetectedFile:
    """Detect the kind of a file, unless its `name` is given, and read it: one record after the other.

    The file is of the kind `default` if no kind claims the records at its beginning. Raises UnknownKind if there is no
    default, or if several kinds claim them equally; and OSError. `open_sub_agent` takes the name of a kind and what
    the file calls a sub-agent, and returns the records of the latter's own file.
    """
    known = load_kinds() if kinds is None else kinds
    given = None if name is None else find_kind(name, known)
    lists = [key for kind in known.values() for key in kind.lists] if given is None else given.lists
    records = read_stream(file, lists=tuple(dict.fromkeys(lists)))
    if given is not None:
        return DetectedFile(given, "", _read(given, _refuse_others(records, given, known), open_sub_agent))
    first = list(islice(records, _LOOKED_AT))
    kind, reason = _detect(first, known, default)
    return DetectedFile(kind, reason, _read(kind, _refuse_others(chain(first, records), kind, known), open_sub_agent))


def _read(
    kind: Kind, records: Iterable[Record], open_sub_agent: Callable[[str, str], Iterable[Record] | None] | None
) -> Iterator[Imported | RecordFault]:
    if kind.read_with is None or open_sub_agent is None:
        return kind.read(records)
    return kind.read_with(records, partial(open_sub_agent, kind.name))


def find_kind(name: str, kinds: Mapping[str, Kind]) -> Kind:
    """Return the kind of this name. Raises UnknownKind."""
    if name not in kinds:
        raise UnknownKind(f"there is no kind of file {name!r}{hint(name, tuple(kinds))}")
    return kinds[name]


def _detect(first: Sequence[Record], kinds: Mapping[str, Kind], default: str | None) -> tuple[Kind, str]:
    """Return the kind with the strongest claims to these records, and by which fields it was recognised."""
    readable = [record for record in first if record.fault is None]
    claims = {name: [kind.claim(record) for record in readable] for name, kind in kinds.items()}
    strengths = {name: sum(claim.strength for claim in claims[name]) for name in kinds}
    strongest = max(strengths.values())
    candidates = [name for name in kinds if strengths[name] == strongest]
    if strongest == 0 and default is None:
        raise UnknownKind(_explain_unclaimed(first, kinds))
    if strongest == 0 and default is not None:
        return kinds[default], ""
    if len(candidates) > 1:
        candidates = [name for name in candidates if not kinds[name].is_general]
    if len(candidates) > 1:
        raise UnknownKind(f"it may be of the kinds {' and '.join(candidates)}; name one with --format")
    return kinds[candidates[0]], max(claims[candidates[0]], key=_strength).reason


def _explain_unclaimed(first: Sequence[Record], kinds: Mapping[str, Kind]) -> str:
    if not first:
        return "there is nothing in it"
    if all(record.fault for record in first):
        return f"{first[0].place}: {first[0].fault}"
    return f"its kind is not recognised; name it with --format: {', '.join(kinds)}"


def _strength(claim: Claim) -> int:
    return claim.strength


def _refuse_others(records: Iterable[Record], kind: Kind, kinds: Mapping[str, Kind]) -> Iterator[Record]:
    """Yield the records; one that only another kind claims surely becomes a fault."""
    for record in records:
        if record.fault is not None or kind.claim(record).strength:
            yield record
            continue
        other = next((other for other in kinds.values() if other.claim(record).strength == _SURE), None)
        yield record if other is None else replace(record, value=None, fault=_explain_other(record, kind, other))


def _explain_other(record: Record, kind: Kind, other: Kind) -> str:
    fields = other.claim(record).reason
    return f"it is of the kind {other.name} ({fields}), not {kind.name}; give it a file of its own"

"""A large export request as several small ones: the same records in the same order, each below the resource and scope
that it came from.

A file may be of any size; a server takes, and a commit holds, only so much at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .limits import RequestLimits
from .wire import SHORTEST_BYTES, fields, written

__all__ = ["portions"]

_SMALL_BYTES = 64 * 2**10
"""So small a request is not taken apart: its rows cannot hold what would matter."""

_MANY = 2
"""The number of the field that holds what there may be many of: scopes in a resource, records in a scope."""


def portions(body: bytes, limits: RequestLimits) -> Iterator[bytes]:
    """Split a request into ones within `limits`, but for single records that are not. Raises BrokenWire."""
    if len(body) <= min(_SMALL_BYTES, SHORTEST_BYTES * limits.records):
        yield body
        return
    portion = _Portion()
    for place, record in _read_records(body):
        if portion.records and not portion.has_room(place, record, limits):
            yield portion.body()
            portion = _Portion()
        portion.add(place, record)
    yield portion.body()


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """What stands in a resource and in a scope beside their records."""

    resource: bytes
    scope: bytes

    @property
    def size_bytes(self) -> int:
        return len(self.resource) + len(self.scope)


@dataclass(slots=True)
class _Portion:
    records: int = 0
    row_bytes: int = 0
    _by_place: list[tuple[_Place, list[memoryview]]] = field(default_factory=list)

    def has_room(self, place: _Place, record: memoryview, limits: RequestLimits) -> bool:
        """Whether a record fits; each row repeats its resource and scope."""
        return self.records < limits.records and (
            self.row_bytes + place.size_bytes + len(record) <= limits.body_bytes // 2
        )

    def add(self, place: _Place, record: memoryview) -> None:
        if not self._by_place or self._by_place[-1][0] is not place:
            self._by_place.append((place, []))
        self._by_place[-1][1].append(record)
        self.records += 1
        self.row_bytes += place.size_bytes + len(record)

    def body(self) -> bytes:
        return b"".join(_write_resource(place, records) for place, records in self._by_place)


def _read_records(body: bytes) -> Iterator[tuple[_Place, memoryview]]:
    for number, resource_part in fields(body):
        if number != 1:
            continue
        resource = _write_common_fields(resource_part)
        for level, scope_part in fields(resource_part):
            if level != _MANY:
                continue
            place = _Place(resource, _write_common_fields(scope_part))
            yield from ((place, record) for number, record in fields(scope_part) if number == _MANY)


def _write_common_fields(message: memoryview) -> bytes:
    """Write the fields of which there is one."""
    return b"".join(written(number, content) for number, content in fields(message) if number != _MANY)


def _write_resource(place: _Place, records: list[memoryview]) -> bytes:
    in_scope = b"".join([place.scope, *(written(_MANY, record) for record in records)])
    return written(1, place.resource + written(_MANY, in_scope))

"""What readers of files return: the runs and expectations in records, and why other records cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ..model import AgentTrace, JsonObject, Reference
from .expectation import FIELDS, Expectation
from .records import Record

__all__ = ["Imported", "Reader", "RecordFault", "make_expectation", "read_each"]


@dataclass(frozen=True, slots=True)
class Imported:
    """What one record holds: a run, an input with its expectation, or both.

    `place` is where it is in the file, such as `line 3`; `id` is the record's own. `metadata` is what the file says
    beside the fields that are read. `evaluators` are entries of a configuration that the record asks for. `source`
    names the run that an item was made of, by `agent_trace_id` and `revision`.
    """

    place: str
    id: str | None = None
    run: AgentTrace | None = None
    expectation: Expectation | None = None
    input: str | JsonObject | None = None
    metadata: JsonObject = field(default_factory=dict)
    split: str | None = None
    tags: tuple[str, ...] = ()
    evaluators: tuple[JsonObject, ...] = ()
    source: JsonObject | None = None

    @property
    def expected_run(self) -> AgentTrace | None:
        """The run, with the expectation as its reference; None without a run."""
        if self.run is None or self.expectation is None or not self.expectation.defined:
            return self.run
        return self.run.model_copy(update={"reference": Reference(**self.expectation.defined)})


@dataclass(frozen=True, slots=True)
class RecordFault:
    """A record that cannot be read; the reason names the field: `trace.messages[2].role: …`."""

    place: str
    reason: str


Reader: TypeAlias = Callable[[Iterable[Record]], Iterator[Imported | RecordFault]]
"""Reads the records of one kind. It raises nothing: what cannot be read becomes a RecordFault."""


def read_each(
    records: Iterable[Record], read: Callable[[Record], Iterable[Imported]]
) -> Iterator[Imported | RecordFault]:
    """Read each record on its own with `read`, whose ValueErrors become faults."""
    for record in records:
        if record.fault is not None:
            yield RecordFault(record.place, record.fault)
            continue
        try:
            entries = tuple(read(record))
        except ValueError as error:
            yield RecordFault(record.place, str(error))
        except RecursionError:
            yield RecordFault(record.place, "it is nested too deeply")
        else:
            yield from entries


def make_expectation(reference: Reference | None) -> Expectation | None:
    """Return the fields of a reference as an expectation; None if there are none."""
    if reference is None:
        return None
    expectation = Expectation.model_validate({name: getattr(reference, name) for name in FIELDS})
    return expectation if expectation.defined else None

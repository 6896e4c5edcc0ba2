"""Files of ATIF: one trajectory, or several as a list or as lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from ..imported import Imported, RecordFault, read_each
from ..kind import NO_CLAIM, Claim, Kind
from ..record import Record
from .trajectory import read_metadata, read_trajectory
from .writing import group_families, write_trajectory

__all__ = ["KIND"]

_VERSION: Final = "schema_version"
_NAME: Final = "ATIF-"


def claim(record: Record) -> Claim:
    """Claim trajectories, which name their version."""
    value = record.value
    version = value.get(_VERSION) if isinstance(value, dict) and not record.is_csv else None
    is_atif = isinstance(version, str) and version.startswith(_NAME)
    return Claim(3, f"{_VERSION} {version}") if is_atif else NO_CLAIM


def read(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read the runs of trajectories; those of sub-agents follow the run that started them."""
    return read_each(records, _read_record)


def _read_record(record: Record) -> Iterator[Imported]:
    families = read_trajectory(record.value)
    metadata = read_metadata(record.value)
    if len(families) > 1:  # the id is that of all runs together
        metadata.pop("trajectory_id", None)
    for run, *sub_agents in families:
        yield Imported(record.place, id=run.agent_trace_id, run=run, input=run.input, metadata=metadata)
        for below in sub_agents:
            yield Imported(record.place, id=below.agent_trace_id, run=below, input=below.input)


def write(entries: Iterable[Imported]) -> Iterator[str]:
    """Write each run with its sub-agents as a line; items without a run are left out."""
    for entry, sub_agents in group_families(entries):
        if entry.run is not None:
            document = write_trajectory(entry.run, sub_agents, metadata=entry.metadata)
            yield f"{json.dumps(document, ensure_ascii=False)}\n"


KIND: Final = Kind(
    "atif", "trajectories in ATIF, the Agent Trajectory Interchange Format", claim, read, write, writes_items=False
)

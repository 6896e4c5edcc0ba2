"""The history of `tracegrade demo --history`: recorded runs over weeks, two versions of an agent, and a fault."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from importlib.resources import files
from itertools import groupby
from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from .agents import FAULTY_TOOL
from .schedule import Milestones, PlannedRun, plan_runs
from .variation import Variation, derive_id, vary

__all__ = ["LEAST_DAYS", "MOST_DAYS", "History", "derive_trace_id", "write_run"]

LEAST_DAYS: Final = 7
MOST_DAYS: Final = 90


@dataclass(frozen=True)
class History:
    """The runs of `days` before `end`, a time in UTC without a zone. The same seed gives the same runs with the same
    ids; only their times depend on `end`."""

    days: int
    seed: int
    end: datetime

    @classmethod
    def until(cls, now: datetime, *, days: int, seed: int) -> History:
        """Return the history that ends at the full hour before `now`."""
        return cls(days, seed, now.replace(minute=0, second=0, microsecond=0))

    @cached_property
    def runs(self) -> list[PlannedRun]:
        """The runs, by time."""
        return plan_runs(self.days, self.seed)

    @property
    def released_at(self) -> datetime:
        """When the new version of an agent was released."""
        return self.end - Milestones.of(self.days).released

    @property
    def fault_at(self) -> datetime:
        """When the fault of the new version began."""
        return self.end - Milestones.of(self.days).fault

    def requests(self) -> Iterator[bytes]:
        """Yield the spans of each day as an ExportTraceServiceRequest."""
        numbered = list(enumerate(self.runs))
        for _, runs in groupby(numbered, key=lambda numbered_run: self.began(numbered_run[1]).date()):
            yield b"".join(self._vary(number, run).SerializeToString() for number, run in runs)

    def began(self, run: PlannedRun) -> datetime:
        """Return when a run began."""
        return self.end - run.before_end

    def trace_id(self, number: int) -> str:
        """Return the trace id, in hex, of the run with this position in `runs`."""
        return derive_trace_id(self.runs[number], id_seed=self._id_seed(number))

    def _id_seed(self, number: int) -> str:
        return f"{self.seed}:{self.days}:{number}:"

    def _vary(self, number: int, run: PlannedRun) -> ExportTraceServiceRequest:
        return write_run(run, id_seed=self._id_seed(number), began=self.began(run))


def write_run(
    run: PlannedRun, *, id_seed: str, began: datetime, marks: Mapping[str, str] | None = None
) -> ExportTraceServiceRequest:
    """Return the spans of a run; `marks` are further attributes of its resource."""
    variation = Variation(
        id_seed=id_seed,
        began=began,
        stretch=run.stretch,
        token_factor=run.token_factor,
        texts=_combine_texts(run),
        resource={
            "service.name": run.agent.name.replace("_", "-"),
            "service.version": run.version,
            "deployment.environment.name": run.environment,
            **(marks or {}),
        },
        attributes=dict(zip(run.agent.session_keys, (run.session_id, run.user_id), strict=False)),
        faulty_tool=FAULTY_TOOL if run.fault else None,
        slower_s=run.fault.slower_s if run.fault else 0.0,
        tool_error=run.fault.error if run.fault else None,
    )
    return vary(read_recording(run.turn.recording), variation)


def derive_trace_id(run: PlannedRun, *, id_seed: str) -> str:
    """Return the trace id, in hex, of a run that is written with this seed."""
    recording = read_recording(run.turn.recording)
    return derive_id(id_seed, recording.resource_spans[0].scope_spans[0].spans[0].trace_id).hex()


@cache
def read_recording(name: str) -> ExportTraceServiceRequest:
    """Read a recording of the history: one trace."""
    file = files(__package__).joinpath("recordings", "history", f"{name}.pb.gz")
    return ExportTraceServiceRequest.FromString(gzip.decompress(file.read_bytes()))


def _combine_texts(run: PlannedRun) -> dict[str, str]:
    """Combine the texts of the run and of its turn, whose new texts have to name the same place, too."""
    combined = dict(run.texts)
    for recorded, new in run.turn.texts:
        for old, other in run.texts.items():
            new = new.replace(old, other)  # noqa: PLW2901 - one replacement after the other
        combined[recorded] = new
    return combined

"""The ids of the spans that stand for runs: their own where they have valid ones, else made of what identifies them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from tracegrade.evaluators.model import AgentTrace

from .family import Family
from .json_text import json_text

__all__ = ["RunId", "SpanIds", "identify_runs", "split_run_id"]

_TRACE_BYTES: Final = 16
_SPAN_BYTES: Final = 8
_SPAN_ID: Final = re.compile(r"(?!0{16})[0-9a-f]{16}")
_RUN_ID: Final = re.compile(r"((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})")
_NO_CONTENT: Final = {"revision", "fingerprint", "gaps", "dialect", "reference", "experiment_id"}


class RunId(NamedTuple):
    """The trace of a run, and the span in it that stands for the run."""

    trace_id: str
    span_id: str


def identify_runs(family: Family, seed: str) -> list[RunId]:
    """Return the ids of runs, by their positions.

    An id of another form than `<trace_id>-<span_id>` becomes one of this form, always the same with one `seed`. A run
    without an id gets one that is made of its content. Raises ValueError for two runs with one id.
    """
    own = [split_run_id(run.agent_trace_id or f"{run.trace_id}-{run.agent_span_id}") for run in family.runs]
    tops = family.tops
    traces: dict[int, str] = {}
    for position, run_id in enumerate(own):
        if run_id is not None:
            traces.setdefault(tops[position], run_id.trace_id)
    repeated: Counter[str] = Counter()
    known: dict[int, RunId] = {}
    for position in family.parents_first:
        if (run_id := own[position]) is not None:
            known[position] = run_id
            continue
        parts = (seed, *_identify(family.runs[position], repeated))
        trace_id = traces.setdefault(tops[position], _find_trace(family.runs[position], parts))
        known[position] = RunId(trace_id, _span_id("run", *parts))
    ids = [known[position] for position in range(len(family.runs))]
    for run_id, count in Counter(ids).items():
        if count > 1:
            raise ValueError(f"{count} runs have the id {run_id.trace_id}-{run_id.span_id}; give each its own")
    return ids


def _identify(run: AgentTrace, repeated: Counter[str]) -> tuple[str, str]:
    """Return what identifies a run: its id, else its content, with the number of runs with the same before it."""
    if run.agent_trace_id:
        return run.agent_trace_id, ""
    content = json_text(run.model_dump(exclude=_NO_CONTENT))
    repeated[content] += 1
    return content, str(repeated[content])


def split_run_id(agent_trace_id: str | None) -> RunId | None:
    """Return the ids in `<trace_id>-<span_id>`; None for an id of another form."""
    match = _RUN_ID.fullmatch(agent_trace_id or "")
    return None if match is None else RunId(*match.groups())


class SpanIds:
    """The ids of the spans below runs, each once in its trace; at first those of the runs themselves are taken."""

    def __init__(self, runs: Sequence[RunId]) -> None:
        self._taken = set(runs)

    def take(self, recorded: str | None, run: RunId, *place: object) -> str:
        """Return the recorded id of a span in this run, or one made of its place if that is none or already taken."""
        is_free = _SPAN_ID.fullmatch(recorded or "") is not None and (run.trace_id, recorded) not in self._taken
        span_id = recorded if recorded is not None and is_free else _span_id(*run, *map(str, place))
        self._taken.add(RunId(run.trace_id, span_id))
        return span_id


def _find_trace(run: AgentTrace, parts: Sequence[str]) -> str:
    """Return the trace of the run that called this one, if its id names it, else one of its own."""
    caller = split_run_id(run.parent_agent_trace_id)
    return _digest(_TRACE_BYTES, "trace", *parts) if caller is None else caller.trace_id


def _span_id(*parts: str) -> str:
    return _digest(_SPAN_BYTES, "span", *parts)


def _digest(size_bytes: int, *parts: str) -> str:
    """Return a hash of these texts as hex digits, which is not zero."""
    content = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.sha256(content).digest()[:size_bytes].hex()

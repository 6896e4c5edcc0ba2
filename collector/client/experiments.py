"""Records experiments, through the server that holds the store or in the store itself, and reads their results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import orjson

from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.queries.catalog import report
from tracegrade.queries.http.body import MAX_BODY_BYTES
from tracegrade.queries.path_segment import write_segment
from tracegrade.queries.ports import (
    CommandRefused,
    ExperimentProgress,
    ExperimentRuns,
    ExperimentStart,
)
from tracegrade.queries.read.experiments import StoredExperiment, build_result, read_stored

from ..errors import Fault
from ..records.row_mapping import read_scores
from ..store.experiments.experiments import Experiments
from ..store.results.writer import Results
from .query import Read, all_rows, rows_by_page
from .source import LocalSource, RemoteSource, Unacceptable

__all__ = [
    "Recorder",
    "find_experiment",
    "list_experiments",
    "read_experiment",
    "recording",
]

T = TypeVar("T")

_NOTHING: Final = 1
_PORTION_BYTES: Final = MAX_BODY_BYTES - 100
"""The most bytes of the runs in a request, which has some others."""
_BEGINNING_OF_ID: Final = re.compile(r"[0-9a-f]{8,32}")


@dataclass(frozen=True, slots=True)
class Recorder:
    """Records experiments. Both raise Unacceptable if the request is refused, and Fault for any other error.

    `begin` begins an experiment, or continues the newest one of its name if that has the same plan and has not ended.

    `record` stores evaluated runs with their scores, of any number. What is stored already is ignored, so that it can
    be repeated after an error. Locally it is one transaction. A server gets the runs in portions that fit into
    a request, each of them one transaction; a run that does not fit by itself is named in a Fault once all others are
    stored, and the experiment then does not end.
    """

    begin: Callable[[ExperimentStart], ExperimentProgress]
    record: Callable[[ExperimentRuns], None]


@contextmanager
def recording(source: LocalSource | RemoteSource) -> Iterator[Recorder]:
    """Yield what records experiments through the server, or in the opened store. For any thread."""
    if isinstance(source, RemoteSource):
        yield Recorder(partial(_begin_remotely, source), partial(_record_remotely, source))
        return
    results = Results(source.database)
    experiments = Experiments(results)
    try:
        yield Recorder(partial(_apply, experiments.begin), partial(_apply, experiments.record))
    finally:
        results.close()


def list_experiments(
    read: Read, *, name: str | None = None, dataset: str | None = None, limit: int = 1_000
) -> list[StoredExperiment]:
    """Return the newest experiments, the newest first: all, or those of a name, or on a dataset. Raises Fault."""
    about = {"name": name, "id": None, "dataset": dataset, "limit": limit}
    return [read_stored(row) for row in all_rows(read, report("matching_experiments"), **about)]


def find_experiment(read: Read, name_or_id: str) -> StoredExperiment:
    """Return the newest experiment of this name, or the one whose id begins with these 8 or more hex digits.

    A whole id precedes a name, and a name the beginning of an id. Raises Fault if there is none, or if several ids
    begin so.
    """
    prefix = name_or_id.lower() if _BEGINNING_OF_ID.fullmatch(name_or_id.lower()) else None
    about = {"name": name_or_id, "id": prefix, "dataset": None, "limit": 2}
    best = [read_stored(row) for row in all_rows(read, report("matching_experiments"), **about)]
    if not best:
        names = [row["name"] for row in all_rows(read, report("experiment_names"))]
        raise Fault(f"there is no experiment {name_or_id!r}{nearest(name_or_id, names)}", exit_code=_NOTHING)
    if len(best) > 1 and best[0].experiment_id != prefix and best[0].name != name_or_id:
        raise Fault(f"several experiments have an id that begins with {name_or_id!r}: write more of it")
    return best[0]


def read_experiment(read: Read, name_or_id: str) -> ExperimentResult:
    """Return the result of a stored experiment, found as by `find_experiment`, as far as it is recorded.

    The `run` of its runs is None: `agent_trace_id` names it. Raises Fault.
    """
    experiment = find_experiment(read, name_or_id)
    read_pages = partial(rows_by_page, read, experiment_id=experiment.experiment_id)
    # The runs first: the scores of a run are stored with it, so that none of a run that is read is missing.
    rows = list(read_pages(report("runs_of_experiment"), after={"position": -1, "repeat": -1}))
    scores = read_pages(report("scores_of_experiment"), after={"score_id": ""})
    return build_result(experiment, rows, read_scores({"scores": scores}))


def _apply(write: Callable[[Any], T], request: object) -> T:
    try:
        return write(request)
    except CommandRefused as refused:
        raise Unacceptable(str(refused)) from refused


def _begin_remotely(server: RemoteSource, start: ExperimentStart) -> ExperimentProgress:
    answer = server.post("/api/v1/experiments", start.model_dump(mode="json"))
    return ExperimentProgress.model_validate(answer.json())


def _record_remotely(server: RemoteSource, runs: ExperimentRuns) -> None:
    bodies = {run.key: run.model_dump(mode="json", exclude_none=True) for run in runs.runs}
    sizes = {key: len(orjson.dumps(body)) + 1 for key, body in bodies.items()}
    fitting = {key: size for key, size in sizes.items() if size <= _PORTION_BYTES}
    too_large = [key for key in sizes if key not in fitting]
    is_last = runs.is_last and not too_large
    portions = list(_split(fitting))
    if is_last and not portions:
        portions = [[]]
    path = f"/api/v1/experiments/{write_segment(runs.experiment_id)}/runs"
    for number, portion in enumerate(portions, 1):
        body = {"runs": [bodies[key] for key in portion], "is_last": is_last and number == len(portions)}
        server.post(path, body)
    if too_large:
        key = too_large[0]
        raise Fault(
            f"the run of the item {key.item_id!r} (repeat {key.repeat}) has {sizes[key]:,} bytes with its scores, more "
            f"than the {MAX_BODY_BYTES:,} of a request, so it is not recorded"
        )


def _split(sizes: Mapping[T, int]) -> Iterator[list[T]]:
    """Yield the keys in portions whose sizes fit into a request together; each fits by itself."""
    portion: list[T] = []
    size = 0
    for key, bytes_ in sizes.items():
        if portion and size + bytes_ > _PORTION_BYTES:
            yield portion
            portion, size = [], 0
        portion.append(key)
        size += bytes_
    if portion:
        yield portion

"""Makes items of stored runs, and of the rows of queries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import ValidationError

from tracegrade.evaluators.experiments.dataset_file import FIELD_BY_NAME, read_row
from tracegrade.evaluators.experiments.item import DatasetItem, Expect
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.json_kind import json_kind
from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.evaluators.text.validation_errors import explain

from ..client.query import Read
from ..client.targets import Targets
from ..errors import Fault
from ..references.rules import References

__all__ = ["Collected", "collect_query", "collect_runs"]

_RUN = "agent_trace_id"


@dataclass(frozen=True, slots=True)
class Collected:
    """The items, and why no item was made of some runs or rows, a text each."""

    items: Sequence[DatasetItem]
    left_out: Sequence[str]


def collect_query(read: Read, sql: str, references: References, *, expect: Collection[Expect] = ()) -> Collected:
    """Make items of the rows that a query returns.

    A row with an `agent_trace_id` gives the item of that run; any other column is a field of `DatasetItem`, which
    replaces that of the run. Of several rows with the same run the first counts. Raises SqlRefused, and Fault if the
    query returns other columns or too many rows, or an `agent_trace_id` that is not text.
    """
    answer = read(sql)
    if answer.truncated:
        raise Fault(f"the query returns more than {answer.table.num_rows:,} rows; add a `limit` or a condition")
    names = [column.name for column in answer.columns]
    _check_columns(names)
    rows = [dict(zip(names, row, strict=True)) for row in answer.rows]
    if _RUN in names:
        runs, left_out = _group_by_run(rows)
        collected = collect_runs(read, runs, references, expect=expect)
        return Collected(collected.items, [*left_out, *collected.left_out])
    collection = _Collection()
    for number, row in enumerate(rows, 1):
        collection.add(f"row {number}", partial(_read_item, row))
    return collection.collected


def collect_runs(
    read: Read,
    runs: Mapping[str, Mapping[str, Any]],
    references: References,
    *,
    expect: Collection[Expect] = (),
) -> Collected:
    """Make an item of each of these runs, by their ids; the columns of each replace the fields of the run."""
    targets = Targets(read, references)
    collection = _Collection()
    missing = dict.fromkeys(runs, "there is no such run")
    order = {run: place for place, run in enumerate(missing)}
    for batch in targets.load("trace", list(missing)):
        for run in sorted(batch, key=lambda run: order[run.agent_trace_id]):
            del missing[run.agent_trace_id]
            make = partial(_make_item, run, runs[run.agent_trace_id], expect)
            collection.add(run.agent_trace_id, make)
    missing |= dict.fromkeys(targets.unread, "it is too large to read")
    collection.left_out += [f"{run}: {why}" for run, why in missing.items()]
    return collection.collected


def _check_columns(names: Sequence[str]) -> None:
    """Raise Fault if a column is neither a run nor a field of an item."""
    unknown = [name for name in names if name != _RUN and name not in FIELD_BY_NAME]
    if unknown:
        raise Fault(
            f"no item has a field {unknown[0]!r}{nearest(unknown[0], [_RUN, *FIELD_BY_NAME])}: "
            f"select {_RUN}, and fields of an item such as input, expected_response, expected_tool_calls, split or tags"
        )
    if _RUN not in names and not any(FIELD_BY_NAME[name] == "input" for name in names):
        raise Fault(f"the query selects neither {_RUN} nor input; an item needs one of them")


def _group_by_run(rows: Iterable[dict[str, Any]]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return the first row of each run without its id, and why the others are left out. Raises Fault."""
    runs: dict[str, dict[str, Any]] = {}
    numbers: dict[str, int] = {}
    left_out: list[str] = []
    for number, row in enumerate(rows, 1):
        run = row.pop(_RUN)
        if run is None:
            left_out.append(f"row {number}: its {_RUN} is null")
        elif not isinstance(run, str):
            raise Fault(
                f"row {number}: {_RUN} is {json_kind(run)}, not text: select the ids of runs, as in agent_traces"
            )
        elif numbers.setdefault(run, number) != number:
            left_out.append(f"row {number}: it has the run of row {numbers[run]}, which is kept")
        else:
            runs[run] = row
    return runs, left_out


def _make_item(run: AgentTrace, row: Mapping[str, Any], expect: Collection[Expect]) -> DatasetItem:
    return DatasetItem.of_run(run, expect=expect, fields=read_row(row))


def _read_item(row: Mapping[str, Any]) -> DatasetItem:
    return DatasetItem.model_validate(read_row(row))


class _Collection:
    """The items so far, and what was left out. Of several items with the same id the first is kept."""

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self._items: dict[str, DatasetItem] = {}
        self._names: dict[str, str] = {}

    def add(self, name: str, make: Callable[[], DatasetItem]) -> None:
        """Add the item that `make` makes of the run or row of this name; if it raises ValueError, note why."""
        try:
            item = make()
        except ValueError as error:
            why = explain(error, DatasetItem) if isinstance(error, ValidationError) else error
            self.left_out.append(f"{name}: {why}")
            return
        if item.id in self._items:
            self.left_out.append(f"{name}: it has the input or the id of {self._names[item.id]}, which is kept")
        self._names.setdefault(item.id, name)
        self._items.setdefault(item.id, item)

    @property
    def collected(self) -> Collected:
        """The result."""
        return Collected(list(self._items.values()), self.left_out)

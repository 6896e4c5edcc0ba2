"""`tracegrade dataset`: adds items to datasets, lists, shows, removes and exports them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import click
import orjson
from pydantic import ValidationError
from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.experiments.item import DatasetItem, Expect
from tracegrade.evaluators.text.messages import counted, shortened
from tracegrade.evaluators.text.validation_errors import explain
from tracegrade.queries.catalog import report
from tracegrade.queries.foreign_text import one_line
from tracegrade.queries.ports import DatasetChange, DatasetVersion

from ..client.datasets import StoredDataset, add_in_portions, changing, find_dataset
from ..client.query import all_rows
from ..client.runs import select_run
from ..client.settings import load_settings
from ..client.source import Source, open_source, reading
from ..clock import format_time
from ..errors import Fault
from ..experiments.collection import Collected, collect_query, collect_runs
from ..references.rules import References
from ..system.user_name import read_user_name
from .console import complain, console, new_console, print_json
from .fault_report import FaultReport
from .item_files import choose_writer, open_item_files

__all__ = ["add", "export", "list_", "remove", "show"]

_NOTHING: Final = 3
_STANDARD_OUTPUT: Final = Path("-")
_MOST_ROWS: Final = 20_000
_SHOWN: Final = 60
_MOST_DATASETS: Final = 100_000
_WIDE: Final = 400
"""The width of a table that is not printed on a terminal: no cell is wrapped."""


def add(
    *,
    name: str,
    files: Sequence[Path],
    kind: str | None,
    strict: bool,
    query: str | None,
    runs: Sequence[str],
    expect: Sequence[Expect],
    split: str | None,
    tags: Sequence[str],
    author: str | None,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    if not (files or query or runs):
        raise Fault("name files, --from a query or a --run to add")
    if expect and not (query or runs):
        raise Fault("--expect is about runs: combine it with --from or --run")
    if kind is not None and not files:
        raise Fault("--format is about files: name one")
    change = _make_change(dataset=name, author=author or read_user_name())
    report = FaultReport()
    of_files = open_item_files(files, kind, report, strict=strict)
    first = next(of_files, None)
    if first is None and report:
        report.conclude()
        raise Fault("no record of the files can be read")
    settings = load_settings(config, store=store)
    with open_source(settings, server, max_rows=_MOST_ROWS, creates=first is not None) as source:
        references = References.read(settings.references, sources=settings.trust.references)
        collected = _collect(source, query, runs, references, expect)
        for why in collected.left_out:
            complain(f"left out: {why}")
        if first is None and not collected.items:
            complain("tracegrade: there is nothing to add")
            return _NOTHING
        items = chain([] if first is None else [first], of_files, _merge(collected.items))
        with changing(source) as apply:
            added = (_sort_in(item, split, tags) for item in items)
            version = add_in_portions(apply, change, added)
    console().print(_describe(version), markup=False)
    return report.conclude()


def list_(*, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    with reading(config, store=store, server=server) as source:
        found = all_rows(source.read, report("latest_datasets"), search=None, limit=_MOST_DATASETS)
    rows = [{name: row[name] for name in row if name != "total"} for row in found]
    if as_json:
        print_json(rows)
    elif rows:
        table = Table("dataset", *_numbers("version", "items"), "changed (UTC)", box=None, pad_edge=False)
        for row in rows:
            cells = f"{row['version']:,}", f"{row['items']:,}", format_time(row["changed_at"])
            table.add_row(Text(row["dataset"], "bold"), *cells)
        console().print(table)
    else:
        console().print("there are no datasets; `tracegrade dataset add` makes one")
    return 0


def show(
    *,
    name: str,
    version: int | None,
    split: str | None,
    tags: Sequence[str],
    as_json: bool,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    with reading(config, store=store, server=server) as source:
        dataset = find_dataset(source.read, name, version)
        items = list(_select(dataset.items, split, tags))
    if as_json:
        print_json([item.model_dump(mode="json", exclude_none=True) for item in items])
        return 0
    console().print(_describe_version(dataset, len(items)), markup=False)
    if items:
        (console() if console().is_terminal else new_console(width=_WIDE)).print(_build_table(items))
    return 0


def remove(
    *,
    name: str,
    items: Sequence[str],
    removes_all: bool,
    author: str | None,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    if bool(items) == removes_all:
        raise Fault("name the items to remove, or use --all")
    change = _make_change(dataset=name, removed=items, removes_all=removes_all, author=author or read_user_name())
    with open_source(load_settings(config, store=store), server) as source:
        find_dataset(source.read, name)
        with changing(source) as apply:
            version = apply(change)
    console().print(_describe(version), markup=False)
    return 0


def export(
    *,
    name: str,
    file: Path | None,
    kind: str | None,
    version: int | None,
    split: str | None,
    tags: Sequence[str],
    replace: bool,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    target = None if file == _STANDARD_OUTPUT else file
    if target is not None and target.exists() and not replace:
        raise Fault(f"{target} exists; --replace writes over it")
    write = choose_writer(kind)
    with reading(config, store=store, server=server) as source:
        dataset = find_dataset(source.read, name, version)
        items = list(_select(dataset.items, split, tags))
    if not items:
        complain(f"tracegrade: {_describe_version(dataset, 0)}: there is nothing to write")
        return _NOTHING
    if target is None:
        click.echo("".join(write(items)), nl=False)
        return 0
    try:
        target.write_text("".join(write(items)), encoding="utf-8")
    except OSError as error:
        raise Fault(f"{target} cannot be written: {error.strerror}") from error
    console().print(f"{target}: {counted(len(items), 'item')} of version {dataset.this['version']}", markup=False)
    return 0


def _collect(
    source: Source, query: str | None, runs: Sequence[str], references: References, expect: Sequence[Expect]
) -> Collected:
    """Make items of the runs and rows that the command names."""
    found = Collected((), ())
    if query is not None:
        found = collect_query(source.read, query, references, expect=expect)
    if runs:
        ids: dict[str, dict[str, Any]] = {select_run(source.read, run)["agent_trace_id"]: {} for run in runs}
        of_runs = collect_runs(source.read, ids, references, expect=expect)
        found = Collected([*found.items, *of_runs.items], [*found.left_out, *of_runs.left_out])
    return found


def _merge(items: Iterable[DatasetItem]) -> Iterable[DatasetItem]:
    """Return the items, each id once: of several the last."""
    return {item.id: item for item in items}.values()


def _sort_in(item: DatasetItem, split: str | None, tags: Sequence[str]) -> DatasetItem:
    """Return the item with a split, unless it has one, and with further tags."""
    if split is None and not tags:
        return item
    fields = {field: getattr(item, field) for field in DatasetItem.model_fields}
    return DatasetItem(**{**fields, "split": item.split or split, "tags": (*item.tags, *tags)})


def _make_change(**fields: Any) -> DatasetChange:
    try:
        return DatasetChange(**fields)
    except ValidationError as error:
        raise Fault(explain(error, DatasetChange)) from error


def _select(items: Iterable[DatasetItem], split: str | None, tags: Sequence[str]) -> Iterator[DatasetItem]:
    return (item for item in items if item.is_in(split, tags))


def _describe(version: DatasetVersion) -> str:
    changes = ", ".join(
        f"{count:,} {word}"
        for word in ("added", "changed", "removed", "unchanged")
        if (count := getattr(version, word))
    )
    return f"{version.dataset}: version {version.version}, {counted(version.items, 'item')} ({changes or 'no change'})"


def _describe_version(dataset: StoredDataset, selected: int) -> str:
    """Describe a version, of which so many items are selected."""
    this, newest = dataset.this, dataset.newest
    of_these = "" if selected == this["items"] else f", {selected:,} of them in this selection"
    which = "the newest" if this["version"] == newest["version"] else f"the newest is {newest['version']}"
    return (
        f"{this['dataset']}: version {this['version']} ({which}), {counted(this['items'], 'item')}{of_these}, "
        f"{format_time(this['created_at'])} by {one_line(this['author'])}"
    )


def _build_table(items: Iterable[DatasetItem]) -> Table:
    """Build a table with a row per item."""
    columns = ("split", "tags", "input", "expected calls", "expected response")
    table = Table(Column("item", no_wrap=True), *columns, box=None, pad_edge=False)
    for item in items:
        calls = None if item.expected_tool_calls is None else [call.name for call in item.expected_tool_calls]
        text = item.input if isinstance(item.input, str) else orjson.dumps(item.input).decode()
        table.add_row(
            *map(Text, (item.id, item.split or "", ", ".join(item.tags), _shorten(text))),
            Text("" if calls is None else _shorten(", ".join(calls) or "none")),
            Text(_shorten(item.expected_response or "")),
        )
    return table


def _numbers(*names: str) -> list[Column]:
    return [Column(name, justify="right") for name in names]


def _shorten(text: str) -> str:
    return shortened(one_line(text), _SHOWN)

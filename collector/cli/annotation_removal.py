"""Removes the annotation of an author, for `tracegrade annotate --remove`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tracegrade.queries.catalog import report

from ..client.query import all_rows
from ..client.source import LocalSource, RemoteSource, Source
from ..client.submit import removing
from ..errors import Fault
from .annotation_target import AnnotationPlace
from .console import console, plain

__all__ = ["remove_annotation"]

_NOTHING: Final = 1
_MOST: Final = 1_000


def remove_annotation(
    source: LocalSource | RemoteSource, place: AnnotationPlace, *, author: str, name: str | None
) -> int:
    """Remove the one active annotation of the author on this target. Raises Fault if there is none, or several."""
    target_id = place.find_target_id(source)
    annotations = _read(source, target_id, place.span)
    mine = [row for row in annotations if row["author"] == author and name in {None, row["name"]}]
    if not mine:
        raise Fault(_describe_none(target_id, annotations, author=author, name=name), exit_code=_NOTHING)
    if len(mine) > 1:
        raise Fault(f"{author} has {len(mine)} annotations on {target_id}: {_list(mine)}. Choose by --name or --span")
    with removing(source) as remove:
        remove(mine[0]["score_id"])
    console().print(plain(f"removed {mine[0]['name']} by {author} from {target_id}: {mine[0]['score_id']}"))
    return 0


def _read(source: Source, target_id: str, span: str | None) -> list[Mapping[str, Any]]:
    """Read the active annotations on a target, or on a span of a trace."""
    asked = {"target": target_id, "author": None, "name": None, "before": None, "before_id": None}
    rows = all_rows(source.read, report("annotations_of"), **asked, with_superseded=False, limit=_MOST)
    if span is not None:
        return [row for row in rows if row["span_id"] == span.lower()]
    return [row for row in rows if row["target_id"] == target_id]


def _describe_none(target_id: str, annotations: Iterable[Mapping[str, Any]], *, author: str, name: str | None) -> str:
    about = f" named {name!r}" if name else ""
    others = [row for row in annotations if name in {None, row["name"]} or row["author"] == author]
    there = f"; there is {_list(others)}" if others else ""
    return f"{author} has no annotation{about} on {target_id}{there}"


def _list(annotations: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{row['name']} by {row['author']}" for row in annotations)

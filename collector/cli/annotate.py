"""`tracegrade annotate`: scores of people, beside those of evaluators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.llm.rubric import Rubric
from tracegrade.evaluators.text.suggestions import hint, nearest
from tracegrade.queries.catalog import report
from tracegrade.queries.foreign_text import one_line

from ..client.runs import NoSingleMatch, select_run
from ..client.settings import load_settings, select_given
from ..client.source import LocalSource, RemoteSource, Source, open_source
from ..client.submit import keep_all, keeping, refuse_without_run
from ..config.settings import Settings, evaluators_of
from ..errors import Fault
from ..feedback import annotation_file
from ..feedback.annotation_file import Entry
from ..system.user_name import read_user_name
from .annotation_removal import remove_annotation
from .annotation_target import AnnotationPlace, name_id
from .console import complain, console, plain
from .labelling import show_queue

__all__ = ["annotate"]

_NOTHING: Final = 1
_OVERALL: Final = "overall"
_COMMENT: Final = "comment"
"""The name of a comment without a score, so that it does not replace a score of its author."""

_SINCE: Final = "7d"
_LIMIT: Final = 20

_WHOLE_ID: Final = re.compile(r"[0-9a-fA-F]{32}(-[0-9a-fA-F]{16})?")


def annotate(
    *,
    target: str | None,
    passed: bool | None,
    value: float | None,
    label: str | None,
    explanation: str | None,
    name: str | None,
    author: str | None,
    id_: str | None,
    call: str | None,
    span: str | None,
    session: bool,
    removes: bool,
    lists_queue: bool,
    evaluator: str | None,
    since: str | None,
    limit: int | None,
    file: Path | None,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    score = select_given(value=value, label=label, passed=passed, explanation=explanation, id=id_)
    _check_mode(
        {"--queue": lists_queue, "--remove": removes, "--import": file is not None},
        score=score,
        of_queue=select_given(evaluator=evaluator, since=since, limit=limit),
        of_place=select_given(target=target, span=span, call=call, session=session or None),
        names=select_given(name=name, author=author),
    )
    settings, given_by = load_settings(config, store=store), author or read_user_name()
    if file is not None:
        return _import_file(file, settings, server, name=name, author=given_by)
    with open_source(settings, server) as source:
        if lists_queue:
            _warn(settings, [{"name": evaluator}] if evaluator else [])
            return show_queue(source, evaluator=evaluator, since=since or _SINCE, limit=limit or _LIMIT)
        place = AnnotationPlace.parse(target or "", span=span, call=call, session=session)
        if removes:
            return remove_annotation(source, place, author=given_by, name=name)
        default_name = _COMMENT if score.keys() <= {"explanation", "id"} else _OVERALL
        named = {"target": place.build_target(source), "name": name or default_name, "author": given_by}
        _add(source, settings, {**named, **score})
    return 0


def _add(source: LocalSource | RemoteSource, settings: Settings, annotation: Mapping[str, Any]) -> None:
    with keeping(source, settings) as keep:
        (score_id,) = keep([annotation])
    about = _format_target(annotation["target"])
    console().print(plain(f"{annotation['name']} by {annotation['author']} on {about}: {score_id}"))
    _warn(settings, [annotation])


def _check_mode(
    modes: Mapping[str, bool],
    *,
    score: Mapping[str, Any],
    of_queue: Mapping[str, Any],
    of_place: Mapping[str, Any],
    names: Mapping[str, Any],
) -> None:
    """Raise Fault if options of several modes are combined, or if an id is missing."""
    chosen = [mode for mode, is_chosen in modes.items() if is_chosen]
    if len(chosen) > 1:
        raise Fault(f"choose one of {' and '.join(chosen)}")
    mode = chosen[0] if chosen else None
    if of_queue and mode != "--queue":
        raise Fault("--evaluator, --since and --limit belong to --queue")
    if mode == "--queue" and (score or of_place or names):
        raise Fault("--queue lists runs; only --evaluator, --since and --limit can be combined with it")
    if mode == "--import" and (score or of_place):
        raise Fault("--import reads targets and scores from the file; only --name and --author can be combined with it")
    if mode == "--remove" and score:
        raise Fault("--remove takes an annotation back; give a new score without it, which replaces the earlier one")
    if mode in {None, "--remove"} and "target" not in of_place:
        raise Fault("name a run by its id (`tracegrade tail` shows them), --import a file, or see the --queue")
    if mode is None and not score.keys() - {"id"}:
        raise Fault("give --good, --bad, --score, --label or --comment")


def _import_file(path: Path, settings: Settings, server: str | None, *, name: str | None, author: str) -> int:
    with open_source(settings, server) as source, keeping(source, settings) as keep:
        annotations = annotation_file.read(path, _make_id_completion(source), name=name, author=author)
        good, bad = _split_by_validity(annotations.entries)
        good, elsewhere = _split_by_validity(refuse_without_run(source.read, good))
        outcome = keep_all(good, keep)
        outdated = source.read(report("superseded_of"), parameters={"score_ids": outcome.score_ids}).rows[0][0]
    bad += [*elsewhere, *outcome.refused]
    order = {entry.place: index for index, entry in enumerate(annotations.entries)}
    for entry in sorted(bad, key=lambda entry: order[entry.place]):
        complain(f"{path}: {entry.place}: {entry.fault}")
    console().print(f"{len(outcome.score_ids):,} stored, {len(bad):,} rejected")
    if annotations.unread:
        console().print(f"ignored columns: {', '.join(annotations.unread)}", markup=False)
    if outdated:
        console().print(
            f"{outdated:,} of them are not active, since their author gave a later score or removed them: "
            "add a `time` to an entry to repeat it"
        )
    _warn(settings, (entry.annotation for entry in good if entry.annotation))
    return _NOTHING if bad else 0


def _split_by_validity(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return the valid entries and the invalid ones."""
    return [entry for entry in entries if entry.fault is None], [entry for entry in entries if entry.fault is not None]


def _make_id_completion(source: Source) -> Callable[[str], str]:
    """Return a function that completes the beginning of an id, as on the command line.

    It raises ValueError if none or several match. Complete ids are not looked up: `refuse_without_run` does that for
    all of them at once.
    """

    @cache
    def complete_id(prefix: str) -> str:
        if _WHOLE_ID.fullmatch(prefix):
            return prefix
        try:
            run = select_run(source.read, prefix)
        except NoSingleMatch as fault:
            raise ValueError(f"trace: {fault}") from fault
        return str(run[name_id(prefix)])

    return complete_id


def _warn(settings: Settings, annotations: Iterable[Mapping[str, Any]]) -> None:
    """Warn about names and labels that are probably misspelt, once each.

    They are not errors: people may use names without an evaluator.
    """
    configured = {evaluator.name: evaluator for evaluator in evaluators_of(settings)}
    doubts = (doubt for annotation in annotations for doubt in _find_doubts(annotation, configured))
    for doubt in dict.fromkeys(doubts):
        complain(f"note: {one_line(doubt)}")


def _find_doubts(annotation: Mapping[str, Any], configured: Mapping[str, Configured]) -> Iterator[str]:
    name, label = annotation["name"].strip(), annotation.get("label")
    if name not in configured:
        if near := nearest(name, configured):
            yield f"no evaluator is named {name!r}{near}"
        return
    rubric = configured[name].function
    if label is None or not isinstance(rubric, Rubric) or not rubric.labels:
        return
    if label.strip().lower() not in {expected.strip().lower() for expected in rubric.labels}:
        yield f"{label!r} is not a label of {name!r}{hint(label, sorted(rubric.labels))}"


def _format_target(target: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in target.items())

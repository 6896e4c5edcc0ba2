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

from ..client.runs import NoSingleMatch, read_runs, select_run
from ..client.settings import load_settings, select_given
from ..client.source import Source, open_source
from ..client.submit import keep_all, keeping, refuse_without_run
from ..config.settings import Settings, evaluators_of
from ..errors import Fault
from ..feedback import annotation_file
from ..feedback.annotation_file import Entry
from ..system.user_name import read_user_name
from .console import complain, console

__all__ = ["annotate"]

_NOTHING = 1
_WHOLE_ID: Final = re.compile(r"[0-9a-fA-F]{32}(-[0-9a-fA-F]{16})?")


def annotate(
    *,
    trace: str | None,
    name: str | None,
    value: float | None,
    label: str | None,
    passed: bool | None,
    explanation: str | None,
    author: str | None,
    id_: str | None,
    span: str | None,
    tool_call: str | None,
    session: bool,
    file: Path | None,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    score = select_given(value=value, label=label, passed=passed, explanation=explanation, id=id_)
    settings = load_settings(config, store=store)
    if file is not None:
        if trace is not None or score or span is not None or tool_call is not None or session:
            raise Fault(
                "--import reads targets and scores from the file; only --name and --author can be combined with it"
            )
        return _import_file(file, settings, server, name=name, author=author or read_user_name())
    if trace is None or name is None:
        raise Fault("name a trace and --name the score, or --import a file")
    if sum((span is not None, tool_call is not None, session)) > 1:
        raise Fault("choose one of --span, --tool-call and --session")
    with open_source(settings, server) as source:
        target = _build_target(source, trace, span=span, tool_call=tool_call, session=session)
        annotation = {"target": target, "name": name, "author": author or read_user_name(), **score}
        with keeping(source, settings) as keep:
            (score_id,) = keep([annotation])
    console().print(f"{name} by {author or read_user_name()} on {_format_target(target)}: {score_id}")
    _warn(settings, [annotation])
    return 0


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
            f"{outdated:,} of them are not active, since their author gave a later score: "
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
        return str(run[_name_id(prefix)])

    return complete_id


def _build_target(
    source: Source, trace: str, *, span: str | None, tool_call: str | None, session: bool
) -> dict[str, Any]:
    """Build the target for the API. The id of a trace means its outermost run."""
    if span is not None:
        return {"trace_id": read_runs(source.read, trace)[0]["trace_id"], "span_id": span}
    run = select_run(source.read, trace)
    target = {_name_id(trace): run[_name_id(trace)]}
    if tool_call is not None:
        call = {"position": int(tool_call)} if tool_call.isdecimal() else {"tool_call_id": tool_call}
        return {**target, **call}
    if not session:
        return target
    if run["session_id"] is None:
        raise Fault(f"{run['agent_trace_id']} does not belong to a session", exit_code=_NOTHING)
    return {"session_id": run["session_id"]}


def _name_id(prefix: str) -> str:
    return "agent_trace_id" if "-" in prefix else "trace_id"


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

"""`tracegrade annotate`: what a person says of a run, next to what the evaluators say."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from tracegrade.queries.catalog import report
from tracegrade.queries.door import faults
from tracegrade.queries.ports import Annotation, AnnotationRefused

from ..errors import Fault
from ..settings import Settings, load
from ..store.annotations import Annotations
from ..store.results import Results
from .console import Config, Server, Store, console, given
from .source import LocalSource, RemoteSource, Source, opened

__all__ = ["annotate"]

_NOTHING = 1


def annotate(
    trace: Annotated[str, typer.Argument(help="A trace id or agent_trace_id, or the beginning of one.")],
    name: Annotated[str, typer.Option(help="What is judged about it, such as polite.")],
    value: Annotated[float | None, typer.Option(help="From 0 to 1, higher is better.", show_default=False)] = None,
    label: Annotated[str | None, typer.Option(help="A word.", show_default=False)] = None,
    passed: Annotated[bool | None, typer.Option("--passed/--failed", help="The verdict.", show_default=False)] = None,
    explanation: Annotated[str | None, typer.Option(help="Why.", show_default=False)] = None,
    author: Annotated[str | None, typer.Option(help="Who says so; default: you.", show_default=False)] = None,
    span: Annotated[str | None, typer.Option(help="Judge this span of the trace.", show_default=False)] = None,
    tool_call: Annotated[
        str | None, typer.Option(help="Judge this tool call: its position, from 0, or its id.", show_default=False)
    ] = None,
    session: Annotated[bool, typer.Option("--session", help="Judge the conversation that it belongs to.")] = False,
    store: Store = None,
    config: Config = None,
    server: Server = None,
) -> int:
    """Give a verdict on a run, a tool call, a span or a conversation."""
    if sum((span is not None, tool_call is not None, session)) > 1:
        raise Fault("choose one of --span, --tool-call and --session")
    settings = load(config, **given(store=store))
    with opened(settings, server) as source:
        target = _target(_runs(source, trace), trace, span=span, tool_call=tool_call, session=session)
        said = given(value=value, label=label, passed=passed, explanation=explanation)
        score_id = _kept(source, settings, {"target": target, "name": name, "author": author or _user(), **said})
    console.print(f"{name} by {author or _user()} on {_shown(target)}: {score_id}")
    return 0


def _runs(source: Source, trace: str) -> list[Mapping[str, Any]]:
    result = source.read(report("runs_of_trace"), parameters={"id": trace.lower()})
    names = [column.name for column in result.columns]
    runs: list[Mapping[str, Any]] = [dict(zip(names, row, strict=True)) for row in result.rows]
    if not runs:
        raise Fault(f"no agent run begins with {trace!r}; `tracegrade tail` shows the ids", exit_code=_NOTHING)
    if len({run["trace_id"] for run in runs}) > 1:
        raise Fault(f"several traces begin with {trace!r}: write more of the id")
    return runs


def _target(
    runs: list[Mapping[str, Any]], trace: str, *, span: str | None, tool_call: str | None, session: bool
) -> dict[str, Any]:
    """The target as the API takes it. A trace means its outermost run, the id of a run that run."""
    if span is not None:
        return {"trace_id": runs[0]["trace_id"], "span_id": span}
    run = {"agent_trace_id": runs[0]["agent_trace_id"]} if "-" in trace else {"trace_id": runs[0]["trace_id"]}
    if "-" in trace and len(runs) > 1:
        raise Fault(f"several runs begin with {trace!r}: write more of the id")
    if tool_call is not None:
        return {**run, "position": int(tool_call)} if tool_call.isdecimal() else {**run, "tool_call_id": tool_call}
    if not session:
        return run
    if runs[0]["session_id"] is None:
        raise Fault(f"{runs[0]['agent_trace_id']} belongs to no session", exit_code=_NOTHING)
    return {"session_id": runs[0]["session_id"]}


def _kept(source: LocalSource | RemoteSource, settings: Settings, wanted: Mapping[str, Any]) -> str:
    """The id under which it stands in `scores`: through the server that holds the store, or written here."""
    if isinstance(source, RemoteSource):
        return str(source.post("/api/v1/annotations", wanted).json()["score_ids"][0])
    results = Results(source.database)
    try:
        annotations = Annotations(results, has_outbox=settings.export.endpoint is not None)
        return annotations.write([Annotation.model_validate(wanted)])[0]
    except ValidationError as error:
        raise Fault(faults(error)) from error
    except AnnotationRefused as error:
        raise Fault(f"{error.field}: {error}") from error
    finally:
        results.close()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        return "anonymous"


def _shown(target: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in target.items())

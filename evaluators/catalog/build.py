"""Builds an evaluator that is ready to run from its specification in a configuration."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ..custom import user_code
from ..custom.combine import HOW, Combination, weights
from ..custom.command import Command, NoProgram
from ..custom.per_turn import OverTurns
from ..definition.dialogue import Asking
from ..definition.function_path import CONFIGURATION_ONLY, Resolve
from ..definition.imports import NotImported
from ..definition.registry import (
    Budget,
    Configured,
    Definition,
    UnknownEvaluator,
    WrongOptions,
    WrongThreshold,
    checked_threshold,
    content_hash,
)
from .configure import built_in_definition, configured, definition_of
from .specification import Spec, WrongSpec, checked_spec

__all__ = ["WAYS", "build", "name_of"]

_TIMEOUT_S: Final = 10.0
"""The default time limit of an evaluator for one target."""


def build(spec: Spec, *, resolve: Resolve | None = None) -> Configured:
    """Return the evaluator that `spec` specifies. Raises WrongSpec.

    Without `resolve`, `spec` may come from anyone: it configures built-in evaluators, and is refused if it names code,
    a program or a file. With `resolve`, which finds functions (`import_function` imports them), it may name all these.

    While imports are forbidden (`definition.imports`), an evaluator that needs user code is returned with an empty
    `config_hash`: its settings are known, but it cannot evaluate.
    """
    spec = checked_spec(spec, resolve)
    ways = [way for way in WAYS if way in spec]
    if len(ways) != 1:
        raise WrongSpec(((), f"say exactly one of {', '.join(WAYS)}" + (f", not {' and '.join(ways)}" if ways else "")))
    try:
        made = WAYS[ways[0]](spec, resolve)
    except UnknownEvaluator as error:
        raise WrongSpec(((ways[0],), str(error))) from error
    except WrongThreshold as error:
        raise WrongSpec((("threshold",), str(error))) from error
    except WrongOptions as error:
        raise WrongSpec(*((("options", *keys), text) for keys, text in error.faults)) from error
    except NotImported:
        return replace(_with_conditions(_unimported(spec), spec), config_hash="", resolve=resolve)
    return replace(_with_conditions(made, spec), resolve=resolve)


def name_of(spec: Spec) -> str:
    """Return the name of the evaluator, under which its scores are stored. Raises WrongSpec if there is none."""
    name = spec.get("name") or spec.get("use") or str(spec.get("python") or "").rpartition(":")[2]
    if name:
        return str(name)
    raise WrongSpec((("name",), "give it a `name`, under which its scores are stored"))


def _with_conditions(evaluator: Configured, spec: Spec) -> Configured:
    """Return the evaluator with the settings of `spec` about when it runs and which calls it sees. Raises WrongSpec."""
    if evaluator.kind != "llm" and (unused := [key for key in _OF_JUDGES if key in spec]):
        raise WrongSpec(*(((key,), f"{evaluator.type} asks no judge; leave `{key}` out") for key in unused))
    if evaluator.kind == "llm" and "timeout_s" in spec:
        timeout = f"the judge {evaluator.asks!r} has a `timeout` for each answer"
        raise WrongSpec((("timeout",), f"{evaluator.type} asks a judge, and {timeout}; leave `timeout` out here"))
    include_sub_agents = spec.get("include_sub_agents")
    include_foreign_calls = spec.get("include_foreign_calls", False)
    content = [
        *_WHOSE_CALLS[include_sub_agents],
        *(["foreign calls"] if include_foreign_calls else []),
        *([spec["judged_by"]] if "judged_by" in spec else []),
    ]
    return replace(
        evaluator,
        name=name_of(spec),
        spec={**spec, **evaluator.spec},
        when=spec.get("when"),
        sample=spec.get("sample", 1.0),
        after=tuple(dict.fromkeys(spec.get("after", ()))),
        else_sample=spec.get("else_sample", 0.0),
        schedule=spec.get("schedule"),
        backfill_s=spec.get("backfill_s"),
        timeout_s=spec.get("timeout_s", None if evaluator.kind == "sql" else _TIMEOUT_S),
        include_sub_agents=include_sub_agents,
        include_foreign_calls=include_foreign_calls,
        config_hash=content_hash([evaluator.config_hash, *content]) if content else evaluator.config_hash,
        budget=Budget(usd_per_day=spec.get("usd_per_day"), tokens_per_day=spec.get("tokens_per_day")),
    )


_WHOSE_CALLS: Final[Mapping[bool | None, tuple[str, ...]]] = {None: (), True: ("all calls",), False: ("own calls",)}
_OF_JUDGES: Final = ("judge", "usd_per_day", "tokens_per_day")


def _use(spec: Spec, resolve: Resolve | None) -> Configured:
    find = built_in_definition if resolve is None else definition_of
    return _of_definition(find(spec["use"]), spec, resolve)


def _python(spec: Spec, resolve: Resolve | None) -> Configured:
    if resolve is None:
        raise WrongSpec((("python",), f"`python`: a function {CONFIGURATION_ONLY}"))
    return _of_definition(user_code.at(spec["python"], resolve), spec, resolve)


def _of_definition(definition: Definition, spec: Spec, resolve: Resolve | None) -> Configured:
    if "judge" in spec and not definition.factory.can_ask:
        raise WrongSpec((("judge",), f"{definition.name} asks no judge; leave `judge` out"))
    scope = spec.get("scope", definition.scope)
    if scope == definition.scope:
        return configured(definition, spec, resolve=resolve)
    made = configured(replace(definition, scope=scope), spec, resolve=resolve)
    made = replace(made, config_hash=content_hash([made.config_hash, scope]))
    if issubclass(definition.factory, user_code.Own):
        return made
    if scope not in (scopes := _scopes(definition, made)):
        judged_scopes = f"{definition.name} evaluates in scope {' or '.join(scopes)}"
        raise WrongSpec((("scope",), f"{judged_scopes}; leave `scope` out for {definition.scope}"))
    return made if made.kind == "llm" else replace(made, function=OverTurns(made.function))


def _scopes(definition: Definition, made: Configured) -> list[str]:
    """Return the scopes of an evaluator. One of runs can evaluate sessions, unless it asks a judge about runs only."""
    sees_sessions = issubclass(definition.factory, Asking) and definition.factory.sees_sessions
    if definition.scope == "trace" and (made.kind != "llm" or sees_sessions):
        return ["trace", "session"]
    return [definition.scope]


def _sql(spec: Spec, resolve: Resolve | None) -> Configured:
    if spec.get("scope", "trace") != "trace":
        raise WrongSpec((("scope",), "a query evaluates runs; leave `scope` out"))
    text = _query(spec["sql"], may_read=resolve is not None)
    return replace(_plain("sql", spec, text, function=_in_the_store), kind="sql", sql=text, spec={"sql": text})


def _command(spec: Spec, resolve: Resolve | None) -> Configured:
    if resolve is None:
        raise WrongSpec((("command",), f"`command`: a program {CONFIGURATION_ONLY}"))
    argv, options = tuple(spec["command"]), spec.get("options", {})
    try:
        function = Command.of(argv, timeout_s=spec.get("timeout_s", _TIMEOUT_S), options=options)
    except NoProgram as error:
        raise WrongSpec((("command",), str(error))) from error
    return _plain("command", spec, {"argv": argv, "options": options}, function=function, options=options)


def _combine(spec: Spec, resolve: Resolve | None) -> Configured:
    combine = spec["combine"]
    how, weight = combine.get("how", "mean"), weights(combine["of"])
    _check(how, weight)
    members = [_member(name, combine.get("members", {}).get(name, {}), spec, resolve) for name in weight]
    for member in members:
        if not member.is_imported:
            raise NotImported(f"{member.name!r}, which is combined, is not imported")
    content = {
        "how": how,
        "of": {member.name: [weight[member.name], member.version, member.config_hash] for member in members},
    }
    function = Combination(how, tuple((member, weight[member.name]) for member in members))
    return _plain("combine", spec, content, function=function)


_INSTEAD: Final = "put their scores together by `sql`, `after` them: evaluators/docs/custom.md, Combinations, shows how"


def _member(name: str, spec: Spec, whole: Spec, resolve: Resolve | None) -> Configured:
    try:
        member, scope = build({**spec, "name": name}, resolve=resolve), whole.get("scope", "trace")
    except WrongSpec as error:
        raise WrongSpec((("combine", "of", name), f"{name!r} cannot be combined: {error}")) from error
    if not member.is_imported:
        return member
    if member.kind == "sql":
        reason = f"runs in the store, apart from the others; {_INSTEAD}"
    elif member.kind == "llm":
        reason = f"asks a judge, apart from the others; {_INSTEAD}"
    elif member.scope == "tool_call":
        reason = "evaluates each tool call, and a combination evaluates whole targets"
    elif member.scope != scope:
        reason = f"evaluates in scope {member.scope}, and this combination in scope {scope}"
    else:
        return member
    raise WrongSpec((("combine", "of", name), f"{name!r} cannot be combined: it {reason}"))


def _check(how: str, weight: Mapping[str, float]) -> None:
    if how not in HOW:
        raise WrongSpec((("combine", "how"), f"it is one of {', '.join(HOW)}, not {how!r}"))
    if not weight:
        raise WrongSpec((("combine", "of"), "it combines nothing; name other evaluators"))
    for name, value in weight.items():
        if not (value > 0 and math.isfinite(value)):
            raise WrongSpec((("combine", "of", name), f"a weight is above 0, not {value:g}"))
        if value != 1 and how != "mean":
            raise WrongSpec((("combine", "of", name), f"weights count only in a mean, not in {how}"))


def _plain(way: str, spec: Spec, content: object, *, function: Callable[[Any], object], **others: Any) -> Configured:
    """Return an evaluator that is not in the catalogue. Its `config_hash` changes with `content`."""
    if spec.get("options") and way != "command":
        raise WrongSpec((("options",), f"{way} takes no options"))
    threshold, scope = checked_threshold(name_of(spec), spec.get("threshold", 1.0)), spec.get("scope", "trace")
    return Configured(
        name=name_of(spec),
        type=way,
        version=1,
        scope=scope,
        threshold=threshold,
        only_with_reference=spec.get("only_with_reference", False),
        function=function,
        config_hash=content_hash({way: content, "threshold": threshold, "scope": scope}),
        has_user_threshold=spec.get("threshold") is not None,
        **others,
    )


def _unimported(spec: Spec) -> Configured:
    asks = spec.get("judge")
    return Configured(
        name=name_of(spec),
        type=spec.get("use") or spec.get("python") or "combine",
        version=0,
        scope=spec.get("scope", "trace"),
        threshold=None,
        only_with_reference=spec.get("only_with_reference", False),
        function=_elsewhere,
        config_hash="",
        kind="code" if asks is None else "llm",
        options=spec.get("options", {}),
        spec=spec,
        asks=asks,
    )


def _elsewhere(_: object) -> object:
    raise TypeError("its function is not imported: this process does not evaluate")


def _in_the_store(_: object) -> object:
    raise TypeError("a SQL evaluator runs as a query in the store; it cannot evaluate a run by itself")


def _query(text: str, *, may_read: bool) -> str:
    """Return `text` if it is a query (several words), else the text of the file that it names. Raises WrongSpec."""
    if len(text.split()) > 1 and not text.endswith(".sql"):
        return text
    if not may_read:
        raise WrongSpec((("sql",), f"`sql`: write the query itself; a file {CONFIGURATION_ONLY}"))
    try:
        return Path(text).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise WrongSpec((("sql",), f"there is no file {text!r} in the working directory {Path.cwd()}")) from error
    except (OSError, UnicodeDecodeError) as error:
        raise WrongSpec((("sql",), f"{text} cannot be read: {error}")) from error


WAYS: Final[Mapping[str, Callable[[Spec, Resolve | None], Configured]]] = {
    "use": _use,
    "python": _python,
    "sql": _sql,
    "command": _command,
    "combine": _combine,
}
"""The keys that say what evaluates; a spec has exactly one of them."""

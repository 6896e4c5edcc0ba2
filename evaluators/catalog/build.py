"""The one place where an evaluator is made from what a configuration says of it."""

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
from ..definition.imports import NotImported
from ..definition.registry import (
    Budget,
    Configured,
    Definition,
    UnknownEvaluator,
    WrongOptions,
    WrongThreshold,
    content_hash,
)
from .configure import checked_threshold, configured, definition_of
from .specification import Spec, WrongSpec, checked_spec

__all__ = ["WAYS", "build", "name_of"]

_TIMEOUT_S: Final = 10.0
"""How long an evaluator may take over one target where nobody says otherwise."""


def build(spec: Spec) -> Configured:
    """Return the evaluator. Raises WrongSpec, saying what to write instead. Reads the file that `sql` names. Where
    functions are not imported (`imports`), one that needs some cannot evaluate; all else of it is known."""
    spec = checked_spec(spec)
    ways = [way for way in WAYS if way in spec]
    if len(ways) != 1:
        raise WrongSpec(((), f"say exactly one of {', '.join(WAYS)}" + (f", not {' and '.join(ways)}" if ways else "")))
    try:
        made = WAYS[ways[0]](spec)
    except UnknownEvaluator as error:
        raise WrongSpec(((ways[0],), str(error))) from error
    except WrongThreshold as error:
        raise WrongSpec((("threshold",), str(error))) from error
    except WrongOptions as error:
        raise WrongSpec(*((("options", *keys), text) for keys, text in error.faults)) from error
    except NotImported:
        return replace(_with_conditions(_unimported(spec), spec), config_hash="")
    return _with_conditions(made, spec)


def name_of(spec: Spec) -> str:
    """Return the name under which its scores stand. Raises WrongSpec where there is none."""
    name = spec.get("name") or spec.get("use") or str(spec.get("python") or "").rpartition(":")[2]
    if name:
        return str(name)
    raise WrongSpec((("name",), "give it a `name`, under which its scores will stand"))


def _with_conditions(evaluator: Configured, spec: Spec) -> Configured:
    """Adds what the spec says about when the evaluator runs, and on which calls."""
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


def _use(spec: Spec) -> Configured:
    return _of_definition(definition_of(spec["use"]), spec)


def _python(spec: Spec) -> Configured:
    return _of_definition(user_code.at(spec["python"]), spec)


def _of_definition(definition: Definition, spec: Spec) -> Configured:
    if "judge" in spec and not definition.factory.can_ask:
        raise WrongSpec((("judge",), f"{definition.name} asks no judge; leave `judge` out"))
    scope = spec.get("scope", definition.scope)
    if scope == definition.scope:
        return configured(definition, spec)
    made = configured(replace(definition, scope=scope), spec)
    made = replace(made, config_hash=content_hash([made.config_hash, scope]))
    if issubclass(definition.factory, user_code.Own):
        return made
    if scope not in (scopes := _scopes(definition, made)):
        judged_scopes = f"{definition.name} judges in scope {' or '.join(scopes)}"
        raise WrongSpec((("scope",), f"{judged_scopes}; leave `scope` out for {definition.scope}"))
    return made if made.kind == "llm" else replace(made, function=OverTurns(made.function))


def _scopes(definition: Definition, made: Configured) -> list[str]:
    """Where it can judge: one of runs judges sessions, too, unless it asks a judge and can show it runs alone."""
    sees_sessions = issubclass(definition.factory, Asking) and definition.factory.sees_sessions
    if definition.scope == "trace" and (made.kind != "llm" or sees_sessions):
        return ["trace", "session"]
    return [definition.scope]


def _sql(spec: Spec) -> Configured:
    if spec.get("scope", "trace") != "trace":
        raise WrongSpec((("scope",), "a query evaluates runs; leave `scope` out"))
    text = _query(spec["sql"])
    return replace(_plain("sql", spec, text, function=_in_the_store), kind="sql", sql=text, spec={"sql": text})


def _command(spec: Spec) -> Configured:
    argv, options = tuple(spec["command"]), spec.get("options", {})
    try:
        function = Command.of(argv, timeout_s=spec.get("timeout_s", _TIMEOUT_S), options=options)
    except NoProgram as error:
        raise WrongSpec((("command",), str(error))) from error
    return _plain("command", spec, {"argv": argv, "options": options}, function=function, options=options)


def _combine(spec: Spec) -> Configured:
    combine = spec["combine"]
    how, weight = combine.get("how", "mean"), weights(combine["of"])
    _check(how, weight)
    members = [_member(name, combine.get("members", {}).get(name, {}), spec) for name in weight]
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


def _member(name: str, spec: Spec, whole: Spec) -> Configured:
    try:
        member, scope = build({**spec, "name": name}), whole.get("scope", "trace")
    except WrongSpec as error:
        raise WrongSpec((("combine", "of", name), f"{name!r} cannot be combined: {error}")) from error
    if not member.is_imported:
        return member
    if member.kind == "sql":
        reason = f"is asked in the store, apart from the others; {_INSTEAD}"
    elif member.kind == "llm":
        reason = f"asks a judge, apart from the others; {_INSTEAD}"
    elif member.scope == "tool_call":
        reason = "judges each tool call, and a combination the whole"
    elif member.scope != scope:
        reason = f"judges in scope {member.scope}, and this combination in scope {scope}"
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
            raise WrongSpec((("combine", "of", name), f"weights count in a mean alone, not in {how}"))


def _plain(way: str, spec: Spec, content: object, *, function: Callable[[Any], object], **others: Any) -> Configured:
    """One that stands in no catalogue. `content` is what makes it another when it changes."""
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
    raise TypeError("its function is not imported in this process, which evaluates nothing")


def _in_the_store(_: object) -> object:
    raise TypeError("a SQL evaluator is asked in the store; it judges no run by itself")


def _query(text: str) -> str:
    """Return the text of the file that `text` names, or `text` when it is a query: one of several words."""
    if len(text.split()) > 1 and not text.endswith(".sql"):
        return text
    try:
        return Path(text).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise WrongSpec((("sql",), f"there is no file {text!r} in the working directory {Path.cwd()}")) from error
    except (OSError, UnicodeDecodeError) as error:
        raise WrongSpec((("sql",), f"{text} cannot be read: {error}")) from error


WAYS: Final[Mapping[str, Callable[[Spec], Configured]]] = {
    "use": _use,
    "python": _python,
    "sql": _sql,
    "command": _command,
    "combine": _combine,
}
"""The keys that say what judges, of which a spec has exactly one."""

"""The fields of the filter language, and the conditions that they use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from .errors import FilterError, unknown
from .lexer import COMPARISONS, Part, Term, quote
from .numbers import ReadNumber, read_dollars, read_milliseconds, read_number, read_range, read_thousands

__all__ = ["FIELDS", "STATES", "TOOL_STATES", "Field", "Use", "read_use"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A condition by its name, with the values of its parameters."""

    condition: str
    values: Mapping[str, str | float]
    is_negated: bool = False


Read: TypeAlias = Callable[[Term], Use]


@dataclass(frozen=True, slots=True)
class Field:
    """A field: how it is written, what it selects, and how its terms are read. The first two are shown to users."""

    form: str
    meaning: str
    read: Read


STATES: Final[Mapping[str, Use]] = {
    "failing": Use(condition="failing", values={}),
    "unscored": Use(condition="unscored", values={}),
    "partial": Use(condition="partial", values={}),
    "waiting": Use(condition="outcome", values={"outcome": "waiting"}),
    "unfinished": Use(condition="outcome", values={"outcome": "unfinished"}),
    "blocked": Use(condition="blocked", values={}),
    "disagreed": Use(condition="disagreed", values={}),
    "unlabelled": Use(condition="labelled", values={}, is_negated=True),
}
TOOL_STATES: Final[Mapping[str, str]] = {"error": "failed_tool", "invalid": "invalid_tool", "fault": "fault_tool"}
SCORE_STATES: Final = ("failed", "skipped", "error")

_WORD: Final = "word"


def read_use(term: Term) -> Use:
    """Return the condition of a term. Raises FilterError."""
    use = _read_text(_WORD)(term) if term.field is None else _find_field(term, term.field).read(term)
    return replace(use, is_negated=use.is_negated != term.is_negated)


def _find_field(term: Term, name: str) -> Field:
    if (field := FIELDS.get(name.lower())) is not None:
        return field
    text = quote(f"{name}{term.sign}{term.text}")
    advice = f". To look for this text, put it in quotation marks: {text}"
    raise unknown("field", name, term.position, allowed=[*FIELDS, "sql"], advice=advice)


def _read_text(condition: str) -> Read:
    def read(term: Term) -> Use:
        if term.field is not None:
            _require_colon(term)
        return Use(condition=condition, values={"text": term.text})

    return read


def _read_comparison(condition: str, read_value: ReadNumber) -> Read:
    def read(term: Term) -> Use:
        if term.sign == ":":
            example = FIELDS[condition].form
            raise FilterError(
                f"{term.field} is compared, with one of {' '.join(COMPARISONS)}: {example}", term.position
            )
        number = _read_value(read_value, term.text, term.value_position)
        return Use(condition=condition, values=read_range(term.sign, number))

    return read


def _read_value(read_value: ReadNumber, text: str, position: int) -> float:
    try:
        return read_value(text)
    except ValueError as error:
        raise FilterError(str(error), position) from error


def _read_state(term: Term) -> Use:
    _require_colon(term)
    if (use := STATES.get(term.text.lower())) is None:
        raise unknown("state", term.text, term.value_position, allowed=list(STATES))
    return use


def _read_tool(term: Term) -> Use:
    """Read `NAME`, or `NAME:STATE`, as in `NAME:error`; a colon in quotation marks belongs to the name."""
    _require_colon(term)
    *before, last = term.parts
    head, colon, state = ("", "", "") if last.is_quoted else last.text.rpartition(":")
    name = "".join(part.text for part in before) + (head if colon else last.text)
    if not colon:
        return Use(condition="tool", values={"text": name})
    if (condition := TOOL_STATES.get(state.lower())) is None:
        advice = f". A name with a colon is put in quotation marks: tool:{quote(term.text)}"
        position = last.position + len(head) + 1
        raise unknown("state of a tool", state, position, allowed=list(TOOL_STATES), advice=advice)
    if not name:
        raise FilterError("the name of a tool is missing: tool:NAME:error", term.value_position)
    return Use(condition=condition, values={"text": name})


def _read_score(term: Term) -> Use:
    """Read `NAME`, `NAME:STATE`, as in `NAME:failed`, or `NAME<1`.

    A colon or comparison in quotation marks belongs to the name.
    """
    _require_colon(term)
    found = _find_comparison(term.parts)
    if found is None:
        return _read_score_state(term)
    at, start, sign = found
    part = term.parts[at]
    name = "".join(each.text for each in term.parts[:at]) + part.text[:start]
    if not name:
        raise FilterError("the name of an evaluator is missing: score:NAME<1", term.value_position)
    number = part.text[start + len(sign) :] + "".join(each.text for each in term.parts[at + 1 :])
    value = _read_value(read_number, number, part.position + start + len(sign))
    return Use(condition="score", values={"evaluator": name, **read_range(sign, value)})


def _read_score_state(term: Term) -> Use:
    """Read `NAME` or `NAME:STATE`; names of evaluators may have colons, so that any other word belongs to the name."""
    name, _, state = term.text.rpartition(":")
    if term.parts[-1].is_quoted or not name or state not in SCORE_STATES:
        return Use(condition="scored", values={"evaluator": term.text})
    if state == "failed":
        return Use(condition="failed_score", values={"evaluator": name})
    return Use(condition="score_status", values={"evaluator": name, "status": state})


def _find_comparison(parts: tuple[Part, ...]) -> tuple[int, int, str] | None:
    """Return the number of the part with the first comparison, where it is there, and its sign."""
    for at, part in enumerate(parts):
        starts = [start for sign in "<>=" if not part.is_quoted and (start := part.text.find(sign)) >= 0]
        if starts:
            start = min(starts)
            return at, start, next(sign for sign in COMPARISONS if part.text.startswith(sign, start))
    return None


def _require_colon(term: Term) -> None:
    if term.sign != ":":
        raise FilterError(f"{term.field} is not compared, and takes a value: {term.field}:VALUE", term.position)


FIELDS: Final[Mapping[str, Field]] = {
    "agent": Field("agent:NAME", "the agent, or the service where the agent has no name", _read_text("agent")),
    "model": Field("model:NAME", "the model", _read_text("model")),
    "version": Field("version:TEXT", "the version of the agent", _read_text("version")),
    "prompt": Field("prompt:NAME[@VERSION]", "the template of the prompt", _read_text("prompt")),
    "environment": Field("environment:NAME", "the environment", _read_text("environment")),
    "service": Field("service:NAME", "the service", _read_text("service")),
    "user": Field("user:ID", "the user", _read_text("user")),
    "session": Field("session:ID", "the session", _read_text("session")),
    "error": Field("error:TEXT", "a text in the error or in the first fault", _read_text("error")),
    "label": Field("label:NAME", "the label of a score", _read_text("label")),
    "tool": Field(
        "tool:NAME, tool:NAME:error, tool:NAME:invalid, tool:NAME:fault",
        "a tool that was called, of which a call failed, of which a call was invalid, or was the first fault",
        _read_tool,
    ),
    "score": Field(
        "score:NAME, score:NAME:failed, score:NAME:skipped, score:NAME:error, score:NAME<1",
        "an evaluator that scored the run, failed it and is no person, skipped it, or erred; the value of its score",
        _read_score,
    ),
    "cost": Field("cost>0.1", "the cost in US dollars", _read_comparison("cost", read_dollars)),
    "tokens": Field("tokens>5k", "input and output tokens", _read_comparison("tokens", read_thousands)),
    "duration": Field("duration>5s", "the duration", _read_comparison("duration", read_milliseconds)),
    "calls": Field("calls>10", "the number of tool calls", _read_comparison("calls", read_thousands)),
    "is": Field(
        "is:failing, is:unscored, is:partial, is:waiting, is:unfinished, is:blocked, is:disagreed, is:unlabelled",
        "failing, without scores, with gaps, waiting for a person, without the end of the agent, denied by a "
        "guardrail, scored differently by people and evaluators, not scored by people",
        _read_state,
    ),
    "pattern": Field("pattern:ID", "the pattern of the first fault", _read_text("pattern")),
    "id": Field("id:TEXT", "the beginning of the id of the run or of its trace", _read_text("id")),
}
"""The fields by name, in the order in which they are shown."""

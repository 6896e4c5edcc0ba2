"""Removes the random endings that some frameworks give to tool names, so that two runs can be compared.

Off by default: every rule for such endings also shortens some real names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ..model import AgentTrace, ExpectedCall, ToolCall
from ..text.suggestions import nearest

__all__ = ["ToolNames", "normalize_tool_name"]

C = TypeVar("C", ToolCall, ExpectedCall)

LONGEST_SUFFIX: Final = 40  # characters: enough for an underscore and a UUID
LONGEST_PATTERN: Final = 100
MOST_QUANTIFIERS: Final = 4

_WORDS: Final = {
    "mixed4": re.compile(r"_(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{4}$"),
    "any4": re.compile(r"_[a-z0-9]{4}$"),
    "random4": re.compile(
        r"_(?!(?:cmds|cfgs|crms|csvs|ctrl|dbms|grpc|html|http|jpgs|llms|mgmt|msgs|mssq|pdfs|pngs|psql|rtsp|sftp|smtp|svgs"
        r"|thru|tmpl|xlsx)$)"
        r"(?:(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{4}|[b-df-hj-np-tv-xz]{3}[a-z])$"
    ),
}
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_QUANTIFIER = re.compile(r"(?<!\()[*+?{]")
_REPEATED_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\)[*+{]")


def normalize_tool_name(name: str, suffix: str | None = None) -> str:
    """Return `name` without its random ending; unchanged if it has none, or if `suffix` is None.

    `mixed4`: a last `_` and exactly four of a-z and 0-9, at least one of each (`_xg7c`), as in the program of
    gllm-evals. It keeps `_nxle`, and cuts real endings such as `_utf8`, `_h264` or `_web2`. `random4`, as in its
    document: also four letters that begin with three consonants (`_nxle`), which no word does but `thru` and
    abbreviations such as `http`, which stay. `any4`: a last `_` and any four of a-z and 0-9;
    it cuts `_nxle`, but `_data` and `_name`, too. Anything else is a regular expression for the whole ending, which is
    searched in the last 40 characters; a bare word counts as a misspelt `mixed4` or `any4`. Raises ValueError if the
    expression cannot be used.

    Source: gllm-evals 0.1.20 ToolCallParser.normalize_tool_name
    """
    if suffix is None:
        return name
    head, tail = name[:-LONGEST_SUFFIX], name[-LONGEST_SUFFIX:]
    return head + _ending(suffix).sub("", tail, count=1)


class ToolNames(BaseModel):
    """How names of tools are shortened before they are compared: `{suffix: …}`, or the suffix alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suffix: str | None = Field(
        default=None,
        description="the random ending: mixed4 (_xg7c), random4 (also _nxle), any4 (also _data), or an expression",
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"suffix": value} if isinstance(value, str) else value

    @field_validator("suffix")
    @classmethod
    def _usable(cls, suffix: str | None) -> str | None:
        if suffix is not None:
            _ending(suffix)
        return suffix

    def of(self, name: str) -> str:
        """Return the name to compare; the whole name if nothing would be left of it."""
        return normalize_tool_name(name, self.suffix) or name

    def applied(self, trace: AgentTrace) -> AgentTrace:
        """Return a copy of `trace` with the names of made and expected calls as they are compared."""
        if self.suffix is None:
            return trace
        changed: dict[str, Any] = {"tool_calls": self._renamed(trace.tool_calls)}
        reference = trace.reference
        if reference is not None and reference.expected_tool_calls is not None:
            renamed = self._renamed(reference.expected_tool_calls)
            changed["reference"] = reference.model_copy(update={"expected_tool_calls": renamed})
        return trace.model_copy(update=changed)

    def _renamed(self, calls: Iterable[C]) -> tuple[C, ...]:
        return tuple(call.model_copy(update={"name": self.of(call.name)}) for call in calls)


@lru_cache(maxsize=64)
def _ending(suffix: str) -> re.Pattern[str]:
    return _WORDS.get(suffix) or _compile_pattern(suffix)


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the compiled expression of a user. Raises ValueError unless it is simple enough to be fast on any name."""
    if not pattern or len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"a suffix is mixed4, any4 or a regular expression of 1 to {LONGEST_PATTERN} characters")
    if _WORD.fullmatch(pattern):
        raise ValueError(
            f"{pattern!r} is not a known suffix{nearest(pattern, _WORDS)}; write mixed4, any4, "
            f"or a regular expression such as _[a-z0-9]{{5}} (the word itself: (?:{pattern}))"
        )
    if _REPEATED_GROUP.search(pattern):
        raise ValueError(f"the suffix {pattern!r} repeats a group; repeat a character or a [class] instead")
    if len(_QUANTIFIER.findall(pattern)) > MOST_QUANTIFIERS:
        raise ValueError(f"the suffix {pattern!r} has more than {MOST_QUANTIFIERS} of * + ? {{; write a simpler one")
    try:
        return re.compile(rf"(?:{pattern})\Z")
    except re.error as error:
        raise ValueError(f"the suffix {pattern!r} is not a regular expression: {error}") from error

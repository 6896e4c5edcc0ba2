"""Finds the offered tool that a call means if the two names are written differently.

Frameworks add the server, plugin or agent before the name of a tool, or remove it when they run the tool
(`mcp__github__search_issues`, `github.search_issues`, `functions.search_issues`), and models write `searchIssues` for
`search_issues`. A name is matched to another one only if exactly one offered tool fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from ...model import ToolDefinition
from ...text.suggestions import nearest
from ..failure.text import begins_with_unknown_tool, says_unknown_tool

__all__ = ["Match", "Offered", "is_refused", "same_name"]

_Words: TypeAlias = tuple[str, ...]

_WORD_END: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_NAMESPACE_END: Final = re.compile(r"__|[./:]+")
_LEAST_WORDS: Final = 2
"""With one word, `cancel_order` could be the tool `order` of a server `cancel`."""

_REFUSAL_CHARS: Final = 500


class Match(NamedTuple):
    """The offered tools that a name may mean: one, several that cannot be told apart, or none."""

    tools: tuple[ToolDefinition, ...] = ()
    is_exact: bool = False


class Offered:
    """The tools that were offered, by name. Of two definitions with one name the last counts."""

    def __init__(self, tools: Iterable[ToolDefinition]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def exact(self, name: str) -> Match | None:
        """Return the tool of exactly that name; None if there is none."""
        return Match((self._tools[name],), is_exact=True) if name in self._tools else None

    def match(self, name: str, *, variants: bool, worked: bool) -> Match:
        """Return the tools that `name`, which was not offered, may mean in another spelling; none unless `variants`.

        A prefix before only `_` or `-` may also be a verb: it counts as a namespace only if the call `worked`.
        """
        if variants:
            for fits in (same_name, _differs_in_namespace, *([_differs_in_prefix] if worked else [])):
                if tools := self._fitting(name, fits):
                    return Match(tools)
        return Match()

    def nearest(self, name: str) -> str:
        """Return ` (did you mean 'x'?)`, or an empty text if no offered name is similar."""
        return nearest(name, self._tools)

    def _fitting(self, name: str, fits: Callable[[str, str], bool]) -> tuple[ToolDefinition, ...]:
        return tuple(tool for offered, tool in self._tools.items() if fits(name, offered))


def same_name(name: str, other: str) -> bool:
    """Return whether both have the same words, regardless of case and separators."""
    return _words(name) == _words(other) != ()


def is_refused(answer: str | None) -> bool:
    """Return whether the result or error of a call says that there is no such tool; a long one, at its beginning: some
    frameworks list all tools."""
    if answer is None:
        return False
    return says_unknown_tool(answer) if len(answer) <= _REFUSAL_CHARS else begins_with_unknown_tool(answer)


def _differs_in_namespace(name: str, other: str) -> bool:
    return _words(other) in _without_namespaces(name) or _words(name) in _without_namespaces(other)


def _differs_in_prefix(name: str, other: str) -> bool:
    called, offered = _words(name), _words(other)
    return _ends_with(offered, called) or (len(offered) >= _LEAST_WORDS and _ends_with(called, offered))


def _ends_with(words: _Words, ending: _Words) -> bool:
    return 0 < len(ending) < len(words) and words[-len(ending) :] == ending


@lru_cache(maxsize=4096)
def _words(name: str) -> _Words:
    return tuple(word.lower() for word in _WORD_END.split(name) if word)


@lru_cache(maxsize=4096)
def _without_namespaces(name: str) -> Sequence[_Words]:
    """Return the words of `name` without its first namespace, without its first two, …"""
    parts = [_words(part) for part in _NAMESPACE_END.split(name)]
    rests = (sum(parts[start:], ()) for start in range(1, len(parts)))
    return [rest for rest in rests if rest]

"""Reads a judge's reply as Dokimos does: as JSON, by the lenient rules of Jackson.

Source: Dokimos LlmResponseUtils (commit 0b6a1d3) and jackson-core 2.14's ReaderBasedJsonParser with
ALLOW_TRAILING_COMMA, _SINGLE_QUOTES, _UNQUOTED_FIELD_NAMES, _JAVA_COMMENTS and _UNESCAPED_CONTROL_CHARS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from ...definition.dialogue import BadAnswer
from ...llm.answer_parsing import without_thought
from ...model import JsonObject

__all__ = ["Unreadable", "fields_of", "objects", "parsed", "reader"]

_DEEPEST: Final = 100
_LITERALS: Final = {"true": True, "false": False, "null": None}
_ESCAPES: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "/": "/", "\\": "\\", "'": "'"}

_CONTROL: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f"  # not even in a comment
_BLANK = re.compile(rf"(?:[ \t\r\n]|//[^\r\n{_CONTROL}]*(?=[\r\n]|\Z)|/\*(?:[^*{_CONTROL}]|\*(?!/))*\*/)*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?")
_GOES_ON = re.compile(r"[0-9.eE]")
_CODE = re.compile(r"[0-9a-fA-F]{4}")
_IN_NAMES_TOO: Final = frozenset("@#*-+$")


class Unreadable(ValueError):
    """The reply has no readable JSON."""


def parsed(reply: str) -> Any:
    """Return the first value in the text from the first brace or bracket to the last closing one of its kind.

    Anything after the value is ignored; of a repeated key the last counts. Raises Unreadable.
    """
    return _Reader(_extracted(reply)).read()


def reader(verdicts: Callable[[object], list[JsonObject]], *, compat: bool) -> Callable[[str], list[JsonObject] | None]:
    """Return a function that parses a reply and returns the result of `verdicts`, which may raise Unreadable, on it.

    It raises BadAnswer for a reply that cannot be read, and leaves out what the judge thought aloud; with `compat` it
    returns None, and reads everything.
    """

    def read(reply: str) -> list[JsonObject] | None:
        try:
            return verdicts(parsed(reply if compat else without_thought(reply)))
        except Unreadable as error:
            if compat:
                return None
            raise BadAnswer(str(error), reply) from error

    return read


def objects(value: object) -> list[JsonObject]:
    """Return `value`, which must be a list of objects. Raises Unreadable."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise Unreadable("there is no list of objects in it")
    return value


def fields_of(verdicts: Sequence[JsonObject], *names: str) -> list[JsonObject]:
    """Return these fields of the verdicts for the details: booleans as they are, everything else as text."""
    return [{name: _plain(verdict[name]) for name in names if name in verdict} for verdict in verdicts]


def _plain(value: object) -> bool | str:
    return value if isinstance(value, bool) else str(value).encode("utf-8", "replace").decode()


def _extracted(reply: str) -> str:
    begin = next((at for at, character in enumerate(reply) if character in "{["), None)
    if begin is None:
        return reply
    end = reply.rfind("}" if reply[begin] == "{" else "]")
    return reply[begin : end + 1] if end > begin else reply


class _Reader:
    """Reads one value from the beginning of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> Any:
        self._skip()
        return self._value(0)

    def _value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise Unreadable("it is nested too deeply")
        begins = self._peek()
        if begins == "{":
            return self._object(depth)
        if begins == "[":
            return self._array(depth)
        if begins in {'"', "'"}:
            return self._string()
        return self._number() if begins == "-" or begins in _DIGITS else self._literal()

    def _object(self, depth: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        self._step()
        while not self._closes("}"):
            name = self._string() if self._peek() in {'"', "'"} else self._bare_name()
            self._skip()
            self._expect(":")
            fields[name] = self._value(depth + 1)
            self._separated("}")
        return fields

    def _array(self, depth: int) -> list[Any]:
        values: list[Any] = []
        self._step()
        while not self._closes("]"):
            values.append(self._value(depth + 1))
            self._separated("]")
        return values

    def _separated(self, close: str) -> None:
        """Move to the next entry, or to the end; there may be a comma before either."""
        self._skip()
        if self._peek() != close:
            self._expect(",")

    def _closes(self, close: str) -> bool:
        if self._peek() != close:
            return False
        self._at += 1
        return True

    def _string(self) -> str:
        quote = self._text[self._at]
        self._at += 1
        characters: list[str] = []
        while (character := self._peek()) != quote:
            self._at += 1
            characters.append(self._escaped() if character == "\\" else character)
        self._at += 1
        return "".join(characters)

    def _escaped(self) -> str:
        character = self._peek()
        self._at += 1
        if character == "u":
            code = _CODE.match(self._text, self._at)
            if code is None:
                raise Unreadable("an escape is incomplete")
            self._at = code.end()
            return chr(int(code[0], 16))
        if character not in _ESCAPES:
            raise Unreadable(f"\\{character} is not an escape")
        return _ESCAPES[character]

    def _bare_name(self) -> str:
        begin = self._at
        while self._at < len(self._text) and _is_in_name(self._text[self._at]):
            self._at += 1
        if self._at == begin:
            raise Unreadable(f"{self._text[begin]!r} begins no name")
        return self._text[begin : self._at]

    def _number(self) -> int | float:
        match = _NUMBER.match(self._text, self._at)
        if match is None or _GOES_ON.match(self._text, match.end()):
            raise Unreadable("a number is malformed")
        self._at = match.end()
        is_whole = match["fraction"] is None and match["exponent"] is None
        try:
            return int(match[0]) if is_whole else float(match[0])
        except ValueError:  # more digits than Python reads; no number's value matters here
            return float(match[0])

    def _literal(self) -> Any:
        for word, value in _LITERALS.items():
            if self._text.startswith(word, self._at):
                self._at += len(word)
                if self._at < len(self._text) and _is_identifier(self._text[self._at]):
                    break
                return value
        raise Unreadable(f"there is no value at {self._at}")

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            raise Unreadable(f"there is no {character!r} at {self._at}")
        self._step()

    def _step(self) -> None:
        self._at += 1
        self._skip()

    def _skip(self) -> None:
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at

    def _peek(self) -> str:
        if self._at >= len(self._text):
            raise Unreadable("it ends too early")
        return self._text[self._at]


_DIGITS: Final = frozenset("0123456789")


def _is_identifier(character: str) -> bool:
    """Return the nearest equivalent of `Character.isJavaIdentifierPart` in Python."""
    return character.isalnum() or character in "_$" or ("a" + character).isidentifier()


def _is_in_name(character: str) -> bool:
    return character in _IN_NAMES_TOO or _is_identifier(character)

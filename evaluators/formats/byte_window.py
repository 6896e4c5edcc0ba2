"""The part of a file that is in memory while its records are read one after the other."""

from __future__ import annotations

import re
import zlib
from gzip import BadGzipFile
from typing import BinaryIO, Final

__all__ = ["LARGEST_RECORD_BYTES", "ByteWindow"]

LARGEST_RECORD_BYTES: Final = 64 * 2**20
_READ_BYTES: Final = 2**20
_MOST_READ_BYTES: Final = 8 * 2**20
_BLANKS: Final = re.compile(rb"[ \t\r\n]*")
_BLANKS_OR_COMMAS: Final = re.compile(rb"[ \t\r\n,]*")
_STRING: Final = rb'"(?:[^"\\\n]++|\\.)*+'
_STRING_BEGUN: Final = re.compile(_STRING + rb"\\?", re.DOTALL)
_NO_BRACKET: Final = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb'")*+', re.DOTALL)
_BRACKETS: Final = re.compile(rb"[\[{]+|[\]}]+")
_SCALAR: Final = re.compile(rb'[^\s,\[\]{}"]*')
_OPENING: Final = frozenset(b"[{")
_DEEPEST: Final = 200_000
"""The deepest nesting at which the end of a value is looked for. Python's parser refuses far less."""
_QUOTE: Final = ord('"')


class ByteWindow:
    """The bytes of a file from its next record on: `content[start:]`, which begins in the line `line`.

    `indentation` is the blanks before `start` in its line; None if anything else precedes it there. Offsets are
    relative to `start`. `fault` says why a compressed file cannot be read to its end.
    """

    def __init__(self, file: BinaryIO, *, most_bytes: int = LARGEST_RECORD_BYTES) -> None:
        self.content = b""
        self.start = 0
        self.line = 1
        self.indentation: bytes | None = b""
        self.fault: str | None = None
        self.most_bytes = most_bytes
        self._file = file
        self._has_ended = False

    @property
    def size_bytes(self) -> int:
        return len(self.content) - self.start

    @property
    def is_too_long(self) -> bool:
        """Whether a record that does not end within the bytes in memory is longer than a record may be."""
        return self.size_bytes > self.most_bytes

    def extend(self) -> bool:
        """Read more of the file; return whether there was more."""
        if self._has_ended:
            return False
        try:
            piece = self._file.read(min(max(_READ_BYTES, self.size_bytes), _MOST_READ_BYTES))
        except (EOFError, zlib.error, BadGzipFile) as error:
            self.fault = f"the compressed data cannot be read from here on: {error}"
            piece = b""
        self._has_ended = not piece
        self.content, self.start = self.content[self.start :] + piece, 0
        return not self._has_ended

    def advance(self, offset: int) -> None:
        """Leave the next bytes behind."""
        end = self.start + offset
        self.line += self.content.count(b"\n", self.start, end)
        self.start, self.indentation = end, None

    def skip_blanks(self, *, commas: bool = False) -> bytes:
        """Advance to the next byte that is not blank, and return it; b"" at the end."""
        blanks = _BLANKS_OR_COMMAS if commas else _BLANKS
        while True:
            end = blanks.match(self.content, self.start).end()  # type: ignore[union-attr]  # it matches anything
            newline = self.content.rfind(b"\n", self.start, end)
            if newline >= 0:
                self.line += self.content.count(b"\n", self.start, end)
                self.indentation = self.content[newline + 1 : end]
            elif self.indentation is not None:
                self.indentation += self.content[self.start : end]
            self.start = end
            if end < len(self.content):
                return self.content[end : end + 1]
            if not self.extend():
                return b""

    def peek(self, offset: int) -> bytes:
        """Return the first byte from `offset` on that is not blank; b"" at the end, or if it is too far away."""
        while True:
            end = _BLANKS.match(self.content, self.start + offset).end()  # type: ignore[union-attr]  # likewise
            if end < len(self.content):
                return self.content[end : end + 1]
            offset = end - self.start
            if self.is_too_long or not self.extend():
                return b""

    def measure_line(self) -> int | None:
        """Return the length of the line, with its line break; None if it is too long."""
        searched = 0
        while (newline := self.content.find(b"\n", self.start + searched)) < 0:
            searched = self.size_bytes
            if searched > self.most_bytes:
                return None
            if not self.extend():
                return searched
        length = newline + 1 - self.start
        return length if length <= self.most_bytes else None

    def skip_line(self) -> None:
        """Advance to the next line, however long this one is."""
        while (newline := self.content.find(b"\n", self.start)) < 0:
            self.start = len(self.content)
            if not self.extend():
                return
        self.advance(newline + 1 - self.start)
        self.indentation = b""

    def stop(self) -> None:
        """Read nothing more."""
        self.advance(self.size_bytes)
        self._has_ended = True

    def measure_value(self, offset: int = 0) -> int | None:
        """Return the offset at which the JSON value that begins at `offset` ends; None if it does not end."""
        while self.size_bytes <= offset and self.extend():
            pass
        if self.content[self.start + offset : self.start + offset + 1] in {b"{", b"["}:
            return self.measure_container(offset)
        return self._measure_scalar(offset)

    def measure_container(self, offset: int, *, depth: int = 0, is_kept: bool = True) -> int | None:
        """Return the offset of the end of a list or object, from an `offset` within it at which it is `depth` deep.

        Return None if it does not end, if a text in it does not, or if it is too long or nested too deeply. Without
        `is_kept`, it may have any length: what was read is left behind.
        """
        while True:
            position = _NO_BRACKET.match(self.content, self.start + offset).end()  # type: ignore[union-attr]  # likewise
            if (brackets := _BRACKETS.match(self.content, position)) is not None:
                count = len(brackets[0])
                if self.content[position] not in _OPENING and count >= depth:
                    return position + max(depth, 1) - self.start
                depth += count if self.content[position] in _OPENING else -count
                if depth > _DEEPEST:
                    return None
                offset = brackets.end() - self.start
                continue
            if position < len(self.content) and not self._ends_within_text(position):
                return None
            offset = position - self.start
            if not is_kept:
                self.advance(offset)
                offset = 0
            if self.is_too_long or not self.extend():
                return None

    def find_sibling(self, end: int | None = None) -> int | None:
        """Return the offset of the next line that begins like this value: with the same indentation and bracket.

        Only the bytes before the offset `end` are searched, of all that are in memory by default.
        """
        if self.indentation is None:
            return None
        begin = b"\n" + self.indentation + self.content[self.start : self.start + 1]
        limit = len(self.content) if end is None else self.start + end
        position = self.content.find(begin, self.start + 1, limit)
        return None if position < 0 else position + len(begin) - 1 - self.start

    def _measure_scalar(self, offset: int) -> int | None:
        while True:
            begin = self.start + offset
            if self.content[begin : begin + 1] == b'"':
                end = _STRING_BEGUN.match(self.content, begin).end()  # type: ignore[union-attr]  # likewise
                if self.content[end : end + 1] == b'"':
                    return end + 1 - self.start
            else:
                end = _SCALAR.match(self.content, begin).end()  # type: ignore[union-attr]  # likewise
            is_text = self.content[begin : begin + 1] == b'"'
            if end < len(self.content):
                return None if is_text else max(end - self.start, offset + 1)
            if self.is_too_long or not self.extend():
                return None if is_text else self.size_bytes

    def _ends_within_text(self, position: int) -> bool:
        """Return whether the bytes in memory end within the text that begins at `position`."""
        end = _STRING_BEGUN.match(self.content, position).end()  # type: ignore[union-attr]  # likewise
        return end >= len(self.content)

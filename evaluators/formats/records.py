"""Reads the records of a file one after the other, with their places: CSV with a header, JSON lines, lists or objects.

The memory that it takes does not grow with the file, but with its largest record, which may have 64 MiB. Each record
that cannot be read has a fault, and those after it are read.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Collection, Iterator
from typing import BinaryIO, Final, cast

from .byte_window import LARGEST_RECORD_BYTES, ByteWindow
from .csv_stream import read_csv
from .json_stream import read_json
from .record import Record

__all__ = ["Record", "read_records", "read_stream"]

_UTF_8_MARK: Final = b"\xef\xbb\xbf"
_UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_GZIP: Final = b"\x1f\x8b"
_HEAD_BYTES: Final = 4


def read_stream(
    file: BinaryIO, *, lists: Collection[str] = (), most_bytes: int = LARGEST_RECORD_BYTES
) -> Iterator[Record]:
    """Yield the records of a file, gzipped or not, whose format is recognised by its content.

    The records of an object with a list under one of the keys `lists` are the entries of this list. Raises OSError.
    """
    head = file.read(_HEAD_BYTES)
    file.seek(-len(head), io.SEEK_CUR)
    is_compressed = head.startswith(_GZIP)
    content = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if is_compressed else file
    window = ByteWindow(content, most_bytes=most_bytes)
    window.extend()
    if (fault := _refuse(window.content)) is not None:
        yield Record("line 1", fault=fault)
        return
    if window.content.startswith(_UTF_8_MARK):
        window.start = len(_UTF_8_MARK)
    yield from read_json(window, lists) if window.peek(0) in {b"{", b"["} else read_csv(window)
    if window.fault is not None:
        yield Record(f"line {window.line}", fault=window.fault)


def read_records(text: str, *, lists: Collection[str] = ()) -> Iterator[Record]:
    """Yield the records in the text of a file, like `read_stream`."""
    return read_stream(io.BytesIO(text.encode(errors="surrogatepass")), lists=lists)


def _refuse(content: bytes) -> str | None:
    """Return why no record of a file can be read that begins with `content`; None if they can."""
    if content.startswith(_UTF_16_MARKS):
        return "the file is UTF-16 or UTF-32; save it as UTF-8"
    if b"\x00" in content[:_HEAD_BYTES]:
        return "the file is not text in UTF-8: it begins with NUL bytes, as UTF-16 or data of a program does"
    return None

"""Opens files of other systems, and tells them from files of OTLP."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from tracegrade.evaluators.experiments.item_kinds import load_all_kinds
from tracegrade.evaluators.formats.kinds import DetectedFile, UnknownKind, read_file
from tracegrade.evaluators.regular_file import open_regular_file

from ..errors import Fault
from .sub_agent_files import open_sub_agent

__all__ = ["OTLP", "is_otlp", "open_file"]

OTLP: Final = "otlp"
_YAML: Final = frozenset({".yaml", ".yml"})
_GZIP: Final = b"\x1f\x8b"
_HEAD_BYTES: Final = 64 * 2**10
_REQUEST: Final = re.compile(rb'\s*\[?\s*\{\s*"resource_?(Spans|spans|Logs|logs|Metrics|metrics)"')
_FLAT: Final = re.compile(rb'\s*\[?\s*\{\s*"type"\s*:\s*"(?:span|metric|log)"|\s*\{[^\n]{0,2000}"_?spanContext"')
"""How files begin that have one record of an SDK a line."""
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_MARK: Final = b"\xef\xbb\xbf"


def is_otlp(path: Path) -> bool:
    """Return whether a file is of OTLP, or cannot be anything else: it is neither JSON nor text. Raises Fault."""
    try:
        head = _read_head(path)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return True
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror}") from error
    if not head.strip() or _REQUEST.match(head) or _FLAT.match(head):
        return True
    return head.lstrip()[:1] not in {b"{", b"["} and _CONTROLS.search(head.replace(b"\r\n", b"\n")) is not None


def _read_head(path: Path) -> bytes:
    with open_regular_file(path) as file:
        is_compressed = file.read(2) == _GZIP
        file.seek(0)
        with gzip.open(file) if is_compressed else file as content:
            return content.read(_HEAD_BYTES).removeprefix(_MARK)


@contextmanager
def open_file(path: Path, kind: str | None = None, *, default: str | None = None) -> Iterator[DetectedFile]:
    """Open a file, and yield its kind and what is in it, which is read while it is used.

    The kind is detected unless it is given; it is `default` if no kind claims the file. Raises UnknownKind, and Fault
    if the file cannot be read.
    """
    try:
        with open_regular_file(path) as file:
            if path.suffix.lower() in _YAML:
                from .yaml_eval_file import read_yaml_file  # noqa: PLC0415 - few files are in YAML

                yield read_yaml_file(path, kind)
                return
            yield read_file(
                file, kind, kinds=load_all_kinds(), default=default, open_sub_agent=partial(open_sub_agent, path)
            )
    except UnknownKind as error:
        raise UnknownKind(f"{path}: {error}") from error
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror or error}") from error

"""`python -m tests.labelled.write`: writes the runs of `stories/` into `runs/`, each beside its label.

A file whose content would be the same stays as it is. Files of stories that are gone are removed.
"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from .conventions.catalog import CONVENTIONS
from .export import export
from .story import Story

__all__ = ["FOLDER", "contents", "plain", "stories"]

FOLDER: Final = Path(__file__).parent
_STORIES: Final = FOLDER / "stories"


def stories() -> dict[str, tuple[Story, ...]]:
    """The stories by the trade that they are of, which is the module's name."""
    found = {}
    for file in sorted(_STORIES.glob("[a-z]*.py")):
        module = importlib.import_module(f"{__package__}.stories.{file.stem}")
        if hasattr(module, "STORIES"):
            found[file.stem] = tuple(module.STORIES)
    return found


def contents(trade: str, story: Story) -> Mapping[Path, bytes]:
    """What is to stand in the files of a story, before it is compressed."""
    written = export(story, CONVENTIONS[story.convention])
    stem = FOLDER / "runs" / trade / story.name
    label = json.dumps({"failing": list(story.failing), "why": story.why}, ensure_ascii=False, indent=2) + "\n"
    files = {
        stem.with_name(f"{stem.name}.traces.pb"): written.traces,
        stem.with_name(f"{stem.name}.label.json"): label.encode(),
    }
    return files | ({stem.with_name(f"{stem.name}.logs.pb"): written.logs} if written.logs else {})


def plain(file: Path) -> bytes:
    """What stands in a file of the set."""
    content = file.read_bytes()
    return gzip.decompress(content) if file.suffix == ".pb" else content


def main() -> int:
    kept: set[Path] = set()
    changed = 0
    for trade, told in stories().items():
        for story in told:
            for file, content in contents(trade, story).items():
                kept.add(file)
                changed += _write(file, content)
    gone = [file for trade in stories() for file in (FOLDER / "runs" / trade).glob("*.*") if file not in kept]
    for file in gone:
        file.unlink()
    sys.stdout.write(f"{len(kept)} files, {changed} written, {len(gone)} removed\n")
    return 0


def _write(file: Path, content: bytes) -> bool:
    if file.exists() and plain(file) == content:
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(content, mtime=0) if file.suffix == ".pb" else content)
    return True


if __name__ == "__main__":
    sys.exit(main())

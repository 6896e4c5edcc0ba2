"""Python that users write: modules beside the configuration, and packages that offer evaluators."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest

__all__ = ["installed", "working_in"]


@contextmanager
def working_in(folder: Path, **modules: str) -> Iterator[None]:
    """Work in `folder`, where there are files of these names with this text; they are forgotten afterwards."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(dedent(text), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", list(sys.path))
        try:
            yield
        finally:
            for name in modules:
                sys.modules.pop(name, None)


@contextmanager
def installed(folder: Path, entry_points: str, **modules: str) -> Iterator[None]:
    """With a distribution `house-rules 1.2` that has these lines of evaluators, and these modules."""
    info = folder / "house_rules-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: house-rules\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[tracegrade.evaluators]\n{dedent(entry_points)}", encoding="utf-8")
    with working_in(folder, **modules):
        sys.path.insert(0, str(folder))
        yield

"""The cases: one JSON object a line, the inputs of a peer's evaluator and what it really answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["Answer", "Case", "cases", "files"]

Case: TypeAlias = dict[str, Any]

Answer: TypeAlias = dict[str, Any]
"""What was answered, under the keys that `expected` has: score, passed, details, output and so on, or error alone."""


def files(paths: Iterable[Path]) -> list[Path]:
    """The files among `paths`, and those in the folders among them."""
    return [file for path in paths for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]


def cases(file: Path) -> Iterator[Case]:
    """The cases of a file. Raises ValueError naming the line that is none."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
            yield {**case, "id": case["id"], "evaluator": case["evaluator"], "expected": case["expected"]}
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{file}, line {number}: this is no case: {error!r}") from error

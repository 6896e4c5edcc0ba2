"""Floeval's datasets in Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tracegrade.evaluators.formats import floeval
from tracegrade.evaluators.formats.floeval import Sample

__all__ = ["AgentDataset", "AgentSample", "PartialAgentSample"]


def AgentSample(**fields: Any) -> Sample:  # noqa: N802 - Floeval's name
    """Return a sample with its `trace`. Raises ValueError that names the key."""
    return floeval.sample(fields)


def PartialAgentSample(**fields: Any) -> Sample:  # noqa: N802 - likewise
    """Return a sample whose agent has not been run: `user_input`, `reference_outcome`, `reference_tool_calls`,
    `metadata`. Raises ValueError that names the key.
    """
    if fields.get("trace") is not None:
        raise ValueError("a partial sample has no trace; use AgentSample")
    return floeval.sample(fields)


class AgentDataset:
    """Samples, with and without traces. A mapping is read as a record of a file.

    Raises ValueError that names the sample and the key.
    """

    def __init__(self, samples: Iterable[Sample | Mapping[str, Any]]) -> None:
        self.samples = tuple(_read(sample, number) for number, sample in enumerate(samples, 1))

    @classmethod
    def from_file(cls, path: str | Path) -> AgentDataset:
        """Read a `.json` or `.jsonl` file. Raises ValueError that names the place, and OSError."""
        file = Path(path)
        return cls(floeval.dataset(file.name, file.read_text(encoding="utf-8-sig")))

    @property
    def is_partial(self) -> bool:
        """Whether the agent has to be run for at least one sample."""
        return any(sample.kind == "partial" for sample in self.samples)

    def __iter__(self) -> Iterator[Sample]:
        return iter(self.samples)

    def __len__(self) -> int:
        return len(self.samples)


def _read(sample: Sample | Mapping[str, Any], number: int) -> Sample:
    if isinstance(sample, Sample):
        return sample
    try:
        return floeval.sample(dict(sample))
    except ValueError as error:
        raise ValueError(f"sample {number}: {error}") from error

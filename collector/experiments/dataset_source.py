"""Reads the dataset of an experiment: a file, or one in the store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.evaluators.experiments.item_file import read_item_file

from ..client.datasets import find_dataset
from ..client.query import Read
from ..errors import Fault

__all__ = ["is_dataset_file", "read_dataset_file", "read_stored_dataset"]

_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson", ".csv"})


def is_dataset_file(word: str) -> bool:
    """Return whether a word of the command line means a file, not a stored dataset."""
    return Path(word).suffix.lower() in _SUFFIXES or "/" in word


def read_dataset_file(path: Path) -> Dataset:
    """Read the items of a file. Raises Fault, with a line for each mistake in it."""
    try:
        return Dataset(read_item_file(path))
    except ValueError as error:
        raise Fault(str(error)) from error
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror}") from error


def read_stored_dataset(read: Read, word: str) -> Dataset:
    """Read the dataset `NAME`, in its newest version, or `NAME@VERSION`. Raises Fault if there is none."""
    name, _, version = word.partition("@")
    if version and not version.isdecimal():
        raise Fault(f"{word!r}: the version of a dataset is a number, as in {name}@3")
    stored = find_dataset(read, name, int(version) if version else None)
    return Dataset(tuple(stored.items), name, stored.this["version"])

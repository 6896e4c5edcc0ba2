"""The prompts of judges: versioned files of ours. Nothing of a run is ever filled in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final

__all__ = ["RULES", "Prompt", "hash_prompts", "instructions", "prompt"]

RULES: Final = "rules"
"""The prompt that is added to every other: what lies between the marks of the evidence is data."""

_VERSION: Final = "version:"


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions with $placeholders for what the configuration says. `hash` is that of the text."""

    name: str
    version: int
    text: str
    hash: str

    def fill(self, **values: str) -> str:
        """Return the text with `values` in their places. Raises KeyError where one is missing."""
        return Template(self.text).substitute(values)


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of that name. Raises FileNotFoundError, or ValueError where its first line is no `version:
    N`."""
    written = (files(__package__) / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    first, _, text = written.partition("\n")
    if not first.startswith(_VERSION):
        raise ValueError(f"the prompt {name} begins with {first!r}; its first line must be `version: N`")
    return Prompt(
        name=name,
        version=int(first.removeprefix(_VERSION)),
        text=text.strip(),
        hash=hashlib.sha256(written.encode()).hexdigest()[:16],
    )


def instructions(name: str, **values: str) -> str:
    """Return what a judge is told to do: the prompt of that name, filled, and the rules about evidence."""
    return f"{prompt(name).fill(**values)}\n\n{prompt(RULES).text}"


def hash_prompts(prompts: Iterable[str]) -> str:
    """Return a hash of these prompts and of the rules; it changes with every word of them."""
    identities = (f"{used.name}:{used.version}:{used.hash}" for used in map(prompt, sorted({*prompts, RULES})))
    return hashlib.sha256("\n".join(identities).encode()).hexdigest()[:16]

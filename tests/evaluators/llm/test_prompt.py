"""Prompts are files with a version, and what they say is part of what an evaluator is."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest

from tracegrade.evaluators.catalog.configure import catalogue
from tracegrade.evaluators.definition.dialogue import Asking
from tracegrade.evaluators.llm import prompt as prompts
from tracegrade.evaluators.llm.prompt import RULES, hash_prompts, instructions, prompt

NAMES = sorted(file.name.removesuffix(".md") for file in (files("tracegrade.evaluators.llm") / "prompts").iterdir())
USED = {RULES, *(name for each in catalogue().values() for name in getattr(each.factory, "prompts", ()))}


@pytest.mark.parametrize("name", NAMES)
def test_prompt_has_a_version_and_a_hash(name: str) -> None:
    assert prompt(name).version >= 1
    assert re.fullmatch("[0-9a-f]{16}", prompt(name).hash)


def test_every_prompt_belongs_to_an_evaluator() -> None:
    assert set(NAMES) == USED


@pytest.mark.parametrize("name", [name for name, each in catalogue().items() if issubclass(each.factory, Asking)])
def test_evaluator_that_asks_names_its_prompts(name: str) -> None:
    factory: Any = catalogue()[name].factory
    assert factory.prompts


def test_rules_about_evidence_stand_behind_every_prompt() -> None:
    assert instructions("goal_achievement").endswith(prompt(RULES).text)


def test_missing_value_is_an_error_and_no_blank() -> None:
    with pytest.raises(KeyError, match="criteria"):
        instructions("rubric", scale="", answer="")


def test_fingerprint_is_another_one_when_a_prompt_is(monkeypatch: pytest.MonkeyPatch) -> None:
    one = hash_prompts(("geval", "rubric"))
    assert one == hash_prompts(("rubric", "geval"))
    assert one != hash_prompts(("rubric",))
    other = prompts.Prompt(name=RULES, version=1, text="other rules", hash="other")
    monkeypatch.setattr(prompts, "prompt", lambda name: other if name == RULES else prompt(name))
    assert one != hash_prompts(("geval", "rubric"))

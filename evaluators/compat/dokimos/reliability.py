"""Scores the checks of tool definitions as Dokimos does: from the judge's answers, averaged over the tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Final, TypeAlias

from ...definition.dialogue import Answer, BadAnswer, Question
from ...llm.answer_parsing import form, without_thought
from ...llm.evidence import evidence_of
from ...llm.evidence_parts import offer
from ...llm.prompt import instructions
from ...model import JsonObject, Score, ToolDefinition
from ...text.messages import counted, listed
from .refusal import NO_DEFINITIONS, nameless

__all__ = ["Answers", "Checks", "ask_about_tools", "scored", "verdicts"]

Checks: TypeAlias = Mapping[str, bool | None]
"""Whether each check passed, by its name; None = skipped."""

Answers: TypeAlias = Sequence[str]
"""The judge's answers, one for each tool, in order."""


_CHECK: Final[JsonObject] = {"type": "integer", "enum": [0, 1]}
_TRUE = re.compile(r'(":)\s*true\b')
_FALSE = re.compile(r'(":)\s*false\b')


def verdicts(answer: str, names: Sequence[str]) -> dict[str, bool]:
    """Return whether each check passed in a judge's answer: if `"name": 1` occurs in it before any `"name": 0`.

    The answer need not be JSON. `true` counts as missing, so as failed; of a longer number the first digit counts.
    """
    if "```" in answer:
        answer = re.sub(r"```\s*", "", re.sub(r"```json\s*", "", answer, flags=re.ASCII), flags=re.ASCII)
    matches = {name: re.search(rf'"{name}"\s*:\s*([01])', answer, re.ASCII) for name in names}
    return {name: match is not None and match[1] == "1" for name, match in matches.items()}


def ask_about_tools(
    prompt: str, tools: Sequence[ToolDefinition] | None, names: Sequence[str], *, compat: bool
) -> Generator[Sequence[Question], Sequence[Answer], tuple[list[str], JsonObject]]:
    """Ask one question for each tool in one step of a dialogue; return the answers, and details about their evidence.

    An answer that mentions none of the checks raises BadAnswer, and `true` is 1; with `compat` it is accepted and fails
    all checks, and `true` does, too.
    """
    wanted = form(**dict.fromkeys(names, _CHECK))

    def read(answer: str) -> str:
        if compat:
            return answer
        answer = _in_digits(without_thought(answer))
        if not any(re.search(rf'"{name}"\s*:\s*[01]', answer, re.ASCII) for name in names):
            raise BadAnswer("it mentions none of the checks", answer)
        return answer

    if not tools or nameless(tools):
        return [], {}
    filled = instructions(prompt)
    evidence = [evidence_of([("tool", [offer(tool)])]) for tool in tools]
    answers = yield [
        Question(instructions=filled, evidence=tool_evidence.text, form=wanted, read=read) for tool_evidence in evidence
    ]
    cut = {
        tool.name: tool_evidence.cut for tool, tool_evidence in zip(tools, evidence, strict=True) if tool_evidence.cut
    }
    return [answer.value for answer in answers], {"evidence": {"parts": ["tool"], "cut": cut}}


def _in_digits(answer: str) -> str:
    return _FALSE.sub(r"\1 0", _TRUE.sub(r"\1 1", answer))


def scored(
    tools: Sequence[ToolDefinition] | None,
    answers: Answers | None,
    checks: Callable[[ToolDefinition, str | None], Checks],
) -> Score:
    """Return the average over `tools` of the share of passed checks among those that ran; 1 without tools.

    `checks` is given a tool and the judge's answer about it. Raises ValueError if the numbers of answers and tools
    differ.
    """
    if tools is None:
        return Score.skip(NO_DEFINITIONS)
    if refusal := nameless(tools):
        return Score.skip(refusal)
    answered = [None] * len(tools) if answers is None else answers
    return _averaged([(tool, checks(tool, answer)) for tool, answer in zip(tools, answered, strict=True)])


def _averaged(checked: Sequence[tuple[ToolDefinition, Checks]]) -> Score:
    results: list[JsonObject] = [{"tool_name": tool.name, "checks": _worded(checks)} for tool, checks in checked]
    details: JsonObject = {"per_tool_results": results} if results else {}
    shares = [share for _, checks in checked if (share := _share(checks)) is not None]
    if checked and not shares:
        return Score.skip("no check could run: the schemas of the tools were not recorded", **details)
    value = reduce(add, shares) / len(shares) if shares else 1.0  # `sum` is more exact than Java
    return Score(value=value, explanation=_explanation(checked), details=details)


def _worded(checks: Checks) -> JsonObject:
    return {name: "skipped" if passed is None else passed for name, passed in checks.items()}


def _share(checks: Checks) -> float | None:
    ran = [passed for passed in checks.values() if passed is not None]
    return sum(ran) / len(ran) if ran else None


def _explanation(checked: Sequence[tuple[ToolDefinition, Checks]]) -> str:
    faults = [
        f"{tool.name} ({listed(failed)})"
        for tool, checks in checked
        if (failed := [name for name, passed in checks.items() if passed is False])
    ]
    if not faults:
        return "no tool failed a check"
    return f"{len(faults)} of {counted(len(checked), 'tool')} failed a check: {listed(faults)}"

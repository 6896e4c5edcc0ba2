"""Floeval's builtin metrics that ask a judge, with its reading of the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from pydantic import Field

from ..asking.judged import Judged, words
from ..asking.prompt import instructions
from ..asking.reading import REASON, form
from ..dialogue import BadAnswer, Dialogue, Question
from ..model import AgentTrace, JsonObject, Score
from ..registry import evaluator

__all__ = ["GoalAchievement", "ResponseCoherence", "TaskCompletion", "TrajectoryFaithfulness"]

_NUMBER: Final[JsonObject] = {"type": "number"}
_FORM: Final = form(score=_NUMBER, reasoning=REASON)
_WITH_ISSUES: Final = form(score=_NUMBER, issues={"type": "array", "items": REASON}, reasoning=REASON)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_ILLEGAL_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')

_FEWEST_MESSAGES: Final = 2


class _Graded(Judged):
    """Base: one question, and a number in the answer that is cut to [0, 1]."""

    prompts: ClassVar[tuple[str, ...]] = ()

    compat: bool = Field(default=False, description="as the peer: a score that is not a number is the best one")

    def asked(
        self,
        trace: AgentTrace,
        parts: Sequence[str],
        *,
        wanted: JsonObject = _FORM,
        text_characters: int | None = None,
    ) -> Dialogue:
        shown = self.shown(trace, parts, text_characters=text_characters)
        told = instructions(*self.prompts)
        [answer] = yield [Question(instructions=told, evidence=shown.text, form=wanted, read=self._reader())]
        value, reasoning, issues = answer.value
        details = shown.details | ({"issues": issues} if wanted is _WITH_ISSUES else {})
        return Score(value=value, explanation=reasoning, details=details)

    def _reader(self) -> Callable[[str], tuple[float, str | None, list[str]]]:
        def read(answer: str) -> tuple[float, str | None, list[str]]:
            try:
                told = _parsed(answer)
                value = _within(told.get("score", 0), compat=self.compat)
            except (ValueError, TypeError, RecursionError, OverflowError) as error:
                raise BadAnswer(str(error), answer) from error
            issues = told.get("issues", [])
            return value, _plain(told.get("reasoning")), [_plain(each) or "" for each in _listed(issues)]

        return read


def _parsed(answer: str) -> Any:
    """What stands from the first brace to the last, backslashes that escape nothing doubled where it needs them."""
    found = _OBJECT.search(answer)
    if found is None:
        raise ValueError("there is no JSON in it")
    try:
        return json.loads(found[0])
    except json.JSONDecodeError:
        return json.loads(_ILLEGAL_ESCAPE.sub(r"\\\\", found[0]))


def _within(score: Any, *, compat: bool) -> float:
    if not compat and score != score:  # noqa: PLR0124 - that is what tells NaN, and it may be no float at all
        raise ValueError("the score is no number")
    return float(max(0.0, min(1.0, score)))


def _listed(issues: object) -> Sequence[object]:
    return issues if isinstance(issues, list) else [issues]


def _plain(said: object) -> str | None:
    if said is None:
        return None
    text = said if isinstance(said, str) else json.dumps(said, default=str)
    return words(text.encode("utf-8", "replace").decode())


@evaluator(
    "floeval:goal_achievement",
    version=1,
    source="floeval 2.0.0 GoalAchievementMetric",
    reads=("input", "final_response", "reference.expected_response"),
    skipped_when="input or final response not recorded",
    threshold=0.5,
)
class GoalAchievement(_Graded):
    """How far the agent did what its user asked for, by the judge's number.

    The judge sees request, final response and, where somebody said one, the expected outcome; nothing of what the
    agent did. Of the answer counts what stands from the first brace to the last, so that two objects are none. A
    missing score is 0, true is 1, and what lies outside of [0, 1] is cut. Floeval has deprecated it.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_goal_achievement",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        return (yield from _of_outcome(self, trace))


@evaluator(
    "floeval:task_completion",
    version=1,
    source="floeval 2.0.0 TaskCompletionMetric",
    reads=("input", "final_response", "reference.expected_response"),
    skipped_when="input or final response not recorded",
    threshold=0.5,
)
class TaskCompletion(_Graded):
    """How completely the final response does what the user asked for, by the judge's number on a graded scale.

    As floeval:goal_achievement, with words for what the numbers mean. It knows no list of tasks.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_task_completion",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        return (yield from _of_outcome(self, trace))


@evaluator(
    "floeval:response_coherence",
    version=1,
    source="floeval 2.0.0 ResponseCoherenceMetric",
    reads=("messages", "final_response"),
    skipped_when="final response not recorded",
    threshold=0.5,
)
class ResponseCoherence(_Graded):
    """How far the final response follows from the conversation, by the judge's number.

    Of each message the judge sees role and text, about 500 characters of it; no tool calls. The answer is read as by
    floeval:goal_achievement. Floeval has deprecated it.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_response_coherence",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        if trace.final_response is None:
            return Score.skip("the final response was not recorded")
        return (yield from self.asked(trace, ("texts", "final_response"), text_characters=500))


@evaluator(
    "floeval:trajectory_faithfulness",
    version=1,
    source="floeval 2.0.0 TrajectoryFaithfulnessMetric",
    reads=("input", "messages"),
    skipped_when="input not recorded, or fewer than two messages",
    threshold=0.5,
)
class TrajectoryFaithfulness(_Graded):
    """How far the steps of the run follow from one another, by the judge's number; `details.issues` names the others.

    Of each message and tool call the judge sees about 400 characters a text. The answer is read as by
    floeval:goal_achievement.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_trajectory_faithfulness",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        if trace.input is None:
            return Score.skip("the input was not recorded")
        if len(trace.messages) < _FEWEST_MESSAGES:
            return Score.skip("fewer than two messages were recorded")
        return (yield from self.asked(trace, ("input", "messages"), wanted=_WITH_ISSUES, text_characters=400))


def _of_outcome(metric: _Graded, trace: AgentTrace) -> Dialogue:
    if trace.input is None or trace.final_response is None:
        return Score.skip(f"the {'input' if trace.input is None else 'final response'} was not recorded")
    expected = trace.reference.expected_response if trace.reference else None
    parts = ("input", "final_response", *(("reference.expected_response",) if expected else ()))
    return (yield from metric.asked(trace, parts))

"""The base of Floeval's metrics with a judge: one question, and Floeval's way to read the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from pydantic import Field

from ...definition.dialogue import BadAnswer, Dialogue, Question
from ...llm.answer_parsing import REASON, form, without_thought
from ...llm.base import Judged, words
from ...llm.prompt import instructions
from ...model import AgentTrace, JsonObject, Score
from ...text.json_kind import json_kind

__all__ = ["WITH_ISSUES", "Graded", "of_outcome"]

_NUMBER: Final[JsonObject] = {"type": "number"}
_FORM: Final = form(score=_NUMBER, reasoning=REASON)
WITH_ISSUES: Final = form(score=_NUMBER, issues={"type": "array", "items": REASON}, reasoning=REASON)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_ILLEGAL_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')


class Graded(Judged):
    """Base of metrics with one question, whose answer has a number that is clipped to [0, 1]."""

    prompts: ClassVar[tuple[str, ...]] = ()

    compat: bool = Field(default=False, description="like Floeval: a score of NaN counts as 1")

    def ask_judge(
        self,
        trace: AgentTrace,
        parts: Sequence[str],
        *,
        wanted: JsonObject = _FORM,
        text_characters: int | None = None,
    ) -> Dialogue:
        shown = self.shown(trace, parts, text_characters=text_characters)
        prompt = instructions(*self.prompts)
        [answer] = yield [Question(instructions=prompt, evidence=shown.text, form=wanted, read=self._reader())]
        value, reasoning, issues = answer.value
        details = shown.details | ({"issues": issues} if wanted is WITH_ISSUES else {})
        return Score(value=value, explanation=reasoning, details=details)

    def _reader(self) -> Callable[[str], tuple[float, str | None, list[str]]]:
        def read(answer: str) -> tuple[float, str | None, list[str]]:
            try:
                fields = _parse_json(answer if self.compat else without_thought(answer))
                value = _within(fields.get("score", 0), compat=self.compat)
            except (ValueError, TypeError, RecursionError, OverflowError) as error:
                raise BadAnswer(str(error), answer) from error
            issues = fields.get("issues", [])
            return value, _plain(fields.get("reasoning")), [_plain(each) or "" for each in _listed(issues)]

        return read


def _parse_json(answer: str) -> Any:
    """Return the JSON from the first brace to the last; if necessary, after doubling backslashes that escape nothing.

    Raises ValueError.
    """
    match = _OBJECT.search(answer)
    if match is None:
        raise ValueError("there is no JSON in it")
    try:
        return json.loads(match[0])
    except json.JSONDecodeError:
        return json.loads(_ILLEGAL_ESCAPE.sub(r"\\\\", match[0]))


def _within(score: Any, *, compat: bool) -> float:
    if not isinstance(score, (int, float)):
        raise TypeError(f"the score is {json_kind(score)}; expected a number")
    if not compat and score != score:  # noqa: PLR0124 - NaN; isnan fails on integers beyond all floats
        raise ValueError("the score is not a number")
    return float(max(0.0, min(1.0, score)))


def _listed(issues: object) -> Sequence[object]:
    return issues if isinstance(issues, list) else [issues]


def _plain(value: object) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return words(text.encode("utf-8", "replace").decode())


def of_outcome(metric: Graded, trace: AgentTrace) -> Dialogue:
    if trace.input is None or trace.final_response is None:
        return Score.skip(f"the {'input' if trace.input is None else 'final response'} was not recorded")
    expected = trace.reference.expected_response if trace.reference else None
    parts = ("input", "final_response", *(("reference.expected_response",) if expected else ()))
    return (yield from metric.ask_judge(trace, parts))

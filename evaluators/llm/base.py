"""What evaluators share that show a judge parts of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from ..definition.dialogue import Asking, Dialogue, Question
from ..model import AgentTrace, JsonObject, Score
from .answer_parsing import REASON, SCORE, form, reader, without_bounds
from .evidence import MAX_CHARACTERS, Evidence, Given, evidence
from .evidence_parts import PARTS, Content
from .prompt import instructions

__all__ = [
    "NO_ANSWER",
    "NO_INPUT",
    "Judged",
    "Share",
    "Text",
    "Whole",
    "graded",
    "has",
    "make_question",
    "turns",
    "words",
]

NO_INPUT: Final = "what the user asked for was not recorded"
NO_ANSWER: Final = "neither an answer nor tool calls were recorded"


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "it is a boolean")
    return value


Share: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Text: TypeAlias = Annotated[str, Field(min_length=1)]
Whole: TypeAlias = Annotated[int, BeforeValidator(_no_truth)]
"""A whole number, and no boolean, which pydantic would take for 0 or 1."""

_MOST_WORDS: Final = 2_000
_GRADE: Final = form(reasoning=REASON, score=SCORE)


class Judged(Asking):
    """Base of evaluators that show a judge parts of what they are given."""

    max_evidence_characters: int = Field(
        default=MAX_CHARACTERS, ge=1_000, description="how much of a run the judge is shown; beyond, it is cut by rule"
    )

    def shown(
        self,
        given: Given,
        parts: Sequence[str],
        more: Mapping[str, Content] | None = None,
        *,
        text_characters: int | None = None,
    ) -> Evidence:
        """These parts, within `max_evidence_characters`; `text_characters` limits every single text."""
        return evidence(
            given, parts, more=more, max_characters=self.max_evidence_characters, text_characters=text_characters
        )


def turns(given: Given) -> Sequence[AgentTrace]:
    """Return the runs that are judged together: the turns of a conversation, or one run."""
    return (given,) if isinstance(given, AgentTrace) else given


def has(given: Given, *parts: str) -> bool:
    """Return whether any of these parts was recorded in at least one turn, and is not an empty list."""
    return any(content is not None and content != [] for run in turns(given) for content in _contents(run, parts))


def _contents(run: AgentTrace, parts: Sequence[str]) -> list[Content]:
    return [PARTS[part](run) for part in parts]


def make_question(
    name: str,
    shown: Evidence,
    wanted: JsonObject,
    *,
    check: Callable[[JsonObject], str | None] | None = None,
    tidy: Callable[[JsonObject], JsonObject] | None = None,
    **values: str,
) -> Question:
    """Return a question by the prompt `name`. Its answer has to fit the form `wanted`, bounds included.

    `check` gives a further fault of the answer; `tidy` is given it before, and gives the answer that counts.
    """
    return Question(
        instructions=instructions(name, **values),
        evidence=shown.text,
        form=without_bounds(wanted),
        read=reader(wanted, check, tidy),
    )


def graded(name: str, shown: Evidence) -> Dialogue:
    """A dialogue of one question, whose answer is a number in [0, 1] and the reasons for it."""
    [answer] = yield [make_question(name, shown, _GRADE)]
    return Score(
        value=float(answer.value["score"]), explanation=words(answer.value["reasoning"]), details=shown.details
    )


def words(text: str) -> str | None:
    """Return the judge's text as an explanation, cut to 2,000 characters; None where it is blank."""
    return text.strip()[:_MOST_WORDS] or None

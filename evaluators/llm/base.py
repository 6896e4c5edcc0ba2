"""Shared by evaluators that show a judge parts of a run."""

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
    "parts_used",
    "texts_of_references",
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
"""A whole number, but not a boolean, which pydantic would read as 0 or 1."""

_REFERENCE: Final = "reference."
_MOST_WORDS: Final = 2_000
_GRADE: Final = form(reasoning=REASON, score=SCORE)


class Judged(Asking):
    """Base of evaluators that show a judge parts of a target."""

    max_evidence_characters: int = Field(
        default=MAX_CHARACTERS, ge=1_000, description="how much of a run the judge is shown; longer evidence is cut"
    )

    def shown(
        self,
        given: Given,
        parts: Sequence[str],
        more: Mapping[str, Content] | None = None,
        *,
        text_characters: int | None = None,
    ) -> Evidence:
        """Return these parts as evidence of at most `max_evidence_characters`; `text_characters` limits each text."""
        return evidence(
            given, parts, more=more, max_characters=self.max_evidence_characters, text_characters=text_characters
        )


def turns(given: Given) -> Sequence[AgentTrace]:
    """Return the turns of a conversation, or the one run."""
    return (given,) if isinstance(given, AgentTrace) else given


def texts_of_references(given: Given, name: str) -> list[str] | None:
    """Return the texts in a field of the references of all turns, each once; None if no reference has the field."""
    fields = [getattr(run.reference, name) for run in turns(given) if run.reference is not None]
    known = [texts for texts in fields if texts is not None]
    return list(dict.fromkeys(text for texts in known for text in texts)) if known else None


def has(given: Given, *parts: str) -> bool:
    """Return whether any turn records any of these parts, other than as an empty list."""
    return any(content is not None and content != [] for run in turns(given) for content in _contents(run, parts))


def parts_used(reads: Sequence[str], parts: Sequence[str]) -> tuple[str, ...]:
    """Return the fields of `reads` beside the reference, and those of the reference that are among the parts."""
    own = [field for field in reads if not field.startswith(_REFERENCE)]
    return (*own, *(part for part in parts if part.startswith(_REFERENCE)))


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
    """Return a question with the prompt `name`. Its answer has to fit the form `wanted`, including bounds.

    `tidy` replaces the answer before it is validated; `check` returns a further fault of it, or None.
    """
    return Question(
        instructions=instructions(name, **values),
        evidence=shown.text,
        form=without_bounds(wanted),
        read=reader(wanted, check, tidy),
    )


def graded(name: str, shown: Evidence) -> Dialogue:
    """Return the score of a dialogue of one question, whose answer is a number in [0, 1] and its reasons."""
    [answer] = yield [make_question(name, shown, _GRADE)]
    return Score(
        value=float(answer.value["score"]), explanation=words(answer.value["reasoning"]), details=shown.details
    )


def words(text: str) -> str | None:
    """Return the judge's text as an explanation, cut to 2,000 characters; None if it is blank."""
    return text.strip()[:_MOST_WORDS] or None

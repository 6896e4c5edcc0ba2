"""A rubric: a criterion of a user for a judge, and how the answer becomes a value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import Field, ValidationInfo, field_validator, model_validator

from ..definition.dialogue import Answer, Dialogue
from ..definition.registry import evaluator
from ..model import JsonObject, Score
from ..text.suggestions import nearest
from ..text.validation_errors import at
from .answer_parsing import REASON, form
from .base import Judged, Share, Text, Whole, has, make_question, parts_used, words
from .evidence import Evidence, Given
from .evidence_parts import Part

__all__ = ["Rubric"]

_SCALE: Final = (1, 5)


@evaluator(
    "rubric",
    version=1,
    source="Tracegrade",
    reads=("input", "messages", "tool_calls", "final_response", "reference.expected_response"),
    skipped_when="none of the parts that the judge is to see was recorded",
    threshold=0.5,
)
class Rubric(Judged):
    """How a judge rates a run by a criterion of yours: a whole number on a scale, or one of your labels.

    The value is the position of the number between the ends of the `scale`, or the value of the label in `labels`. The
    run passes if it reaches `pass_mark`, a number of the scale or a label; without a `pass_mark`, if the value reaches
    the threshold.
    """

    example: ClassVar[Mapping[str, Any]] = {"criteria": "Good answers are polite; bad ones blame the user."}
    prompts: ClassVar[tuple[str, ...]] = ("rubric",)
    sees_sessions: ClassVar[bool] = True

    criteria: Text = Field(description="what is judged, and what is good and what is bad, in words")
    scale: tuple[Whole, Whole] | None = Field(
        default=None, description="the worst and the best score, whole numbers; [1, 5] if there are no labels"
    )
    levels: Mapping[Whole, Text] = Field(default_factory=dict, description="what single scores of the scale mean")
    labels: Mapping[Text, Share] = Field(
        default_factory=dict, description="the labels from which the judge chooses, each with its value in [0, 1]"
    )
    pass_mark: Whole | Text | None = Field(
        default=None, description="the least score, or the worst label, with which a run has passed"
    )
    evidence: tuple[Part, ...] = Field(
        default=("input", "tool_calls", "final_response"),
        min_length=1,
        description="the parts of a run that the judge sees",
    )

    @field_validator("pass_mark", mode="before")
    @classmethod
    def _as_label(cls, mark: Any, before: ValidationInfo) -> Any:
        """Return the label that `mark` names: YAML may have read it as a number or boolean, but labels are texts."""
        labels = before.data.get("labels")
        if not labels or not isinstance(mark, (bool, int, float)):
            return mark
        written = json.dumps(mark)
        return next((label for label in labels if _folded(label) == written), written)

    @model_validator(mode="after")
    def _is_sensible(self) -> Rubric:
        _refuse_labels(self)
        _refuse_scale(self)
        _refuse_mark(self)
        return self

    @property
    def ends(self) -> tuple[int, int]:
        """The worst and the best score."""
        return self.scale or _SCALE

    def used_fields(self, reads: tuple[str, ...]) -> tuple[str, ...]:
        return parts_used(reads, self.evidence)

    @property
    def own_threshold(self) -> float | None:
        """The least value that passes; None if the threshold decides."""
        return None if self.pass_mark is None else self._value(self.pass_mark)

    @property
    def decided_by(self) -> str | None:
        return None if self.pass_mark is None else "`pass_mark`"

    def ask(self, given: Given) -> Dialogue:
        if not has(given, *self.evidence):
            return Score.skip(f"not recorded: {', '.join(self.evidence)}")
        shown = self.shown(given, self.evidence)
        wanted, scale, how = self._choice()
        question = make_question(
            "rubric", shown, wanted, tidy=self._with_spelling, criteria=self.criteria.strip(), scale=scale, answer=how
        )
        [answer] = yield [question]
        return self._score(answer, shown)

    def _choice(self) -> tuple[JsonObject, str, str]:
        """Return the form of the answer, and two texts for the prompt: the choices, and how to answer."""
        if self.labels:
            heading = "The verdicts among which you choose, from the worst to the best:"
            ordered = sorted(self.labels, key=lambda label: self.labels[label])
            wanted = form(reason=REASON, label={"type": "string", "enum": ordered})
            return wanted, "\n".join((heading, *(f"- {label}" for label in ordered))), "`label`, one of these verdicts"
        low, high = self.ends
        wanted = form(reason=REASON, score={"type": "integer", "minimum": low, "maximum": high})
        levels = [f"{score}: {meaning}" for score, meaning in sorted(self.levels.items())]
        scale = "\n".join((f"The scale goes from {low} (worst) to {high} (best).", *levels))
        return wanted, scale, f"`score`, a whole number from {low} to {high}"

    def _with_spelling(self, fields: JsonObject) -> JsonObject:
        """Return the answer with its label as the configuration spells it."""
        label_text = fields.get("label")
        known = {_folded(label): label for label in self.labels}
        return fields | {"label": known.get(_folded(label_text), label_text)} if isinstance(label_text, str) else fields

    @property
    def _meaning(self) -> JsonObject:
        """The value of each label, for the details of a score; labels of people under this rubric mean the same."""
        return {"labels": dict(self.labels)} if self.labels else {}

    def _value(self, verdict: int | str) -> float:
        if isinstance(verdict, str):
            return self.labels[verdict]
        low, high = self.ends
        return (verdict - low) / (high - low)

    def _score(self, answer: Answer, shown: Evidence) -> Score:
        fields: Any = answer.value
        verdict: int | str = fields["label"] if self.labels else int(fields["score"])
        value = self._value(verdict)
        return Score(
            value=value,
            label=verdict if isinstance(verdict, str) else None,
            passed=None if self.own_threshold is None else value >= self.own_threshold,
            explanation=words(fields["reason"]),
            details=shown.details | {"verdict": verdict, "pass_mark": self.pass_mark} | self._meaning,
        )


def _folded(label: str) -> str:
    """Return a text that is equal for labels that differ only by capitals or surrounding blanks."""
    return label.strip().lower()


def _refuse_labels(rubric: Rubric) -> None:
    if rubric.labels and (rubric.scale or rubric.levels):
        raise at("labels", fault="there are both labels and a scale; leave one out")
    if len(rubric.labels) == 1:
        raise at("labels", fault="there is only one label; write at least two, or a scale")
    known: dict[str, str] = {}
    for label in rubric.labels:
        other = known.setdefault(_folded(label), label)
        if other != label:
            alike = f"{other!r} and {label!r} differ only by capitals or blanks"
            raise at("labels", label, fault=f"{alike}, which are ignored; rename one")


def _refuse_scale(rubric: Rubric) -> None:
    low, high = rubric.ends
    if low >= high:
        raise at("scale", fault=f"it goes from {low} to {high}; write the worst score first, then the best")
    for score in rubric.levels:
        if not low <= score <= high:
            raise at("levels", score, fault=f"the scale goes from {low} to {high}, and {score} is not on it")


def _refuse_mark(rubric: Rubric) -> None:
    mark, (low, high) = rubric.pass_mark, rubric.ends
    if mark is None:
        return
    if rubric.labels and mark not in rubric.labels:
        raise at("pass_mark", fault=f"{mark!r} is not one of the labels{nearest(str(mark), rubric.labels)}")
    if not rubric.labels and (isinstance(mark, str) or not low <= mark <= high):
        raise at("pass_mark", fault=f"it is {mark!r}; write a whole number from {low} to {high}")

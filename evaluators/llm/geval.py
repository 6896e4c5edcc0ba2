"""Evaluates any criterion in words: a judge follows steps."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..definition.dialogue import Answer, Question, Token
from ..definition.registry import evaluator
from ..model import JsonObject, Score
from ..text.validation_errors import at
from .answer_parsing import REASON, form
from .base import Judged, Text, Whole, has, make_question, parts_used, words
from .evidence import Evidence, Given
from .evidence_parts import Part

__all__ = ["Band", "GEval", "expected_score"]

_LEAST_PROBABILITY: Final = 0.01
_MOST_STEPS: Final = 10
_STEPS: Final = form(
    steps={"type": "array", "minItems": 1, "maxItems": _MOST_STEPS, "items": {"type": "string", "minLength": 1}}
)


class Band(BaseModel):
    """The meaning of a score, or of a range of scores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score_range: tuple[Whole, Whole] = Field(description="the lowest and the highest score that it describes")
    expected_outcome: Text = Field(description="what a run is like that deserves it")


@evaluator(
    "geval",
    version=1,
    source="G-Eval (arXiv 2303.16634), as deepeval 4.3.1 GEval",
    reads=("input", "messages", "tool_calls", "final_response", "reference.expected_response"),
    skipped_when="none of the parts that the judge is to see was recorded",
    threshold=0.5,
)
class GEval(Judged):
    """How far a run fulfils a criterion, as a judge finds by going through steps.

    Without `steps` the judge writes them from the criterion once, and every run is scored with the same steps. The
    score is a whole number in the range of the rubric (0 to 10 if there is none), scaled to [0, 1]. If the server
    returns the probabilities of tokens, the score is the mean of the possible scores, weighted by their probabilities.
    Scores less probable than 1 % are ignored, and so are tokens that may be the first digit of a longer score. With
    `strict_mode` the score is 1 or 0.
    """

    example: ClassVar[Mapping[str, Any]] = {"criteria": "The answer is polite and does what was asked."}
    prompts: ClassVar[tuple[str, ...]] = ("geval", "geval_steps")
    sees_sessions: ClassVar[bool] = True

    criteria: Text | None = Field(default=None, description="what a good run is like; or `steps`")
    steps: tuple[Text, ...] = Field(default=(), description="how to find out; if empty, the judge writes them")
    rubric: tuple[Band, ...] = Field(default=(), description="what the scores mean, band by band")
    evidence: tuple[Part, ...] = Field(
        default=("input", "final_response"), min_length=1, description="the parts of a run that the judge sees"
    )
    strict_mode: bool = Field(default=False, description="1 for a run that fulfils the criterion entirely, else 0")

    @model_validator(mode="after")
    def _is_sensible(self) -> GEval:
        if not self.criteria and not self.steps:
            raise ValueError("say by `criteria` what a good run is like, or by `steps` how to find out")
        _refuse_bands([band.score_range for band in self.rubric])
        return self

    def used_fields(self, reads: tuple[str, ...]) -> tuple[str, ...]:
        return parts_used(reads, self.evidence)

    @property
    def own_threshold(self) -> float | None:
        return 1.0 if self.strict_mode else None

    @property
    def decided_by(self) -> str | None:
        return "`strict_mode`" if self.strict_mode else None

    @property
    def scale(self) -> tuple[int, int]:
        """The lowest and the highest score."""
        if self.strict_mode:
            return 0, 1
        bands = sorted(band.score_range for band in self.rubric)
        return (bands[0][0], bands[-1][1]) if bands else (0, 10)

    def ask(self, given: Given) -> Generator[Sequence[Question], Sequence[Answer], Score]:
        if not has(given, *self.evidence):
            return Score.skip(f"not recorded: {', '.join(self.evidence)}")
        steps = self.steps or (yield from self._ask_steps())
        shown = self.shown(given, self.evidence)
        [answer] = yield [self._question(steps, shown)]
        return self._score(answer, shown, steps)

    def _ask_steps(self) -> Generator[Sequence[Question], Sequence[Answer], tuple[str, ...]]:
        nothing = Evidence(text="Nothing is shown yet: write the steps.", parts=())
        question = make_question(
            "geval_steps", nothing, _STEPS, criteria=self.criteria or "", parts=", ".join(self.evidence)
        )
        [answer] = yield [question]
        return tuple(answer.value["steps"])

    def _question(self, steps: Sequence[str], shown: Evidence) -> Question:
        low, high = self.scale
        wanted = form(reason=REASON, score={"type": "integer", "minimum": low, "maximum": high})
        question = make_question(
            "geval",
            shown,
            wanted,
            steps="\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)),
            rubric=self._bands(),
            low=str(low),
            high=str(high),
        )
        return replace(question, weighs=not self.strict_mode)

    def _bands(self) -> str:
        if not self.rubric or self.strict_mode:
            return ""
        lines = [
            f"{low} to {high}: {text}" if low < high else f"{low}: {text}" for (low, high), text in self._ordered()
        ]
        return "\n".join(("", "What the scores mean:", *lines, ""))

    def _ordered(self) -> list[tuple[tuple[int, int], str]]:
        return sorted((band.score_range, band.expected_outcome) for band in self.rubric)

    def _score(self, answer: Answer, shown: Evidence, steps: Sequence[str]) -> Score:
        low, high = self.scale
        raw = int(answer.value["score"])
        expected = None if self.strict_mode else expected_score(raw, answer.tokens, scale=(low, high))
        value = ((raw if expected is None else expected) - low) / (high - low)
        grade: JsonObject = {"raw_score": raw, "scale": [low, high], "weighted": expected is not None}
        return Score(
            value=min(1.0, max(0.0, value)),
            passed=value == 1 if self.strict_mode else None,
            explanation=words(answer.value["reason"]),
            details=shown.details | grade | {"steps": list(steps)},
        )


def _refuse_bands(bands: Sequence[tuple[int, int]]) -> None:
    for number, (low, high) in enumerate(bands):
        if low > high:
            raise at("rubric", number, "score_range", fault=f"it goes from {low} to {high}; write the lowest first")
    ordered = sorted(bands)
    if any(lower[1] >= upper[0] for lower, upper in pairwise(ordered)):
        raise at("rubric", fault="two of its score_ranges overlap")
    if ordered and ordered[0][0] == ordered[-1][1]:
        raise at("rubric", fault="it has one score only; at least two are needed to tell runs apart")


def expected_score(raw: int, tokens: Sequence[Token], *, scale: tuple[int, int]) -> float | None:
    """Return the mean of the scores that the judge might have given instead of `raw`, weighted by their probabilities.

    None if the server returned no probabilities, or if `raw` may be the beginning of a longer score. The last token
    that equals the score counts, since the reasons may contain numbers, too. Alternatives are left out if they are not
    a whole number of the scale, are less probable than 1 %, or may be the beginning of a longer score.
    Source: deepeval 4.3.1 calculate_weighted_summed_score; that beginnings are left out is ours
    """
    score_token = next((token for token in reversed(tokens) if token.text.strip() == str(raw)), None)
    alternatives = score_token.alternatives if score_token else {}
    seen = {text.strip() for text in alternatives if _is_score(text.strip(), scale)}
    if _may_go_on(str(raw), seen, scale):
        return None
    weights: dict[int, float] = {}
    for text, probability in alternatives.items():
        if probability >= _LEAST_PROBABILITY and text.strip() in seen and not _may_go_on(text.strip(), seen, scale):
            weights[int(text)] = weights.get(int(text), 0.0) + probability
    total = sum(weights.values())
    return sum(score * weight for score, weight in weights.items()) / total if total else None


def _may_go_on(digits: str, seen: Iterable[str], scale: tuple[int, int]) -> bool:
    """Return whether a token of these digits may be the beginning of a longer score, as `1` is of 10.

    Numbers as long as the longest token that was `seen` are tokens of their own.
    """
    longest = max(map(len, seen), default=1)
    low, high = max(scale[0], 10**longest), scale[1]
    return not digits.startswith("0") and any(
        first <= high and last >= low
        for first, last in ((int(digits + "0" * more), int(digits + "9" * more)) for more in range(1, len(str(high))))
    )


def _is_score(text: str, scale: tuple[int, int]) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 5 and scale[0] <= int(text) <= scale[1]

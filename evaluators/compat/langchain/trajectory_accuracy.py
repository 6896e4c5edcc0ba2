"""LangChain's agentevals: does a judge find the trajectory good?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...definition.dialogue import Answer, Question
from ...definition.recorded import unrecorded_calls
from ...definition.registry import evaluator
from ...llm.answer_parsing import REASON, SCORE, form
from ...llm.base import Judged, Share, make_question, parts_used, words
from ...model import AgentTrace, JsonObject, Score
from ...text.validation_errors import at

__all__ = ["FewShotExample", "TrajectoryAccuracy"]

_ACTUAL = ("trajectory", "final_response")
_TRAJECTORY = "reference.expected_trajectory"
_CALLS = "reference.expected_tool_calls"
_PROMPTS: Final = {"trajectory_accuracy": "trajectory_accuracy", "tool_selection": "openevals_tool_selection"}
_EQUIVALENT: Final = ",\n- and means the same as the reference trajectory"


class FewShotExample(BaseModel):
    """A graded trajectory, as an example for the judge."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    inputs: str = Field(description="the request")
    outputs: str = Field(description="the trajectory, as text")
    score: Annotated[float, Field(allow_inf_nan=False)] | bool | None = Field(default=None, description="its grade")
    reasoning: str | None = Field(default=None, description="the reason of the grade")


@evaluator(
    "langchain:trajectory_accuracy",
    version=1,
    source="agentevals 0.0.9 create_trajectory_llm_as_judge; tool_selection: openevals 0.2.1; threshold and "
    "use_reference: gllm-evals",
    reads=(
        "input",
        "messages",
        "tool_calls",
        "final_response",
        "reference.expected_trajectory",
        "reference.expected_tool_calls",
    ),
    skipped_when="nothing the agent did recorded; calls not recorded, where the choice of tools is graded; no "
    "reference says what was expected, where that is compared",
    threshold=0.5,
)
class TrajectoryAccuracy(Judged):
    """Whether a judge finds that each step makes sense, makes progress to the goal and is reasonably efficient.

    With the prompt `tool_selection`: that each tool fits, that none is needless or missing, and that their order makes
    sense. The judge answers true or false, which is 1 or 0; with `continuous` a number in [0, 1]; with `choices`, which
    override `continuous`, one of them. With `use_reference` the trajectory has to mean the same as the expected one,
    and a run without one is skipped; the peer compares with nothing, and never for `tool_selection`. A score of another
    type cannot be used, except a number or a boolean as text; the peer returns any value of `score`.
    """

    prompts: ClassVar[tuple[str, ...]] = tuple(_PROMPTS.values())

    prompt: Literal["trajectory_accuracy", "tool_selection"] = Field(
        default="trajectory_accuracy", description="what is graded: the whole, or which tools were chosen"
    )
    use_reference: bool = Field(default=True, description="compare with the expected trajectory, or tool calls")
    continuous: bool = Field(default=False, description="a number from 0 to 1 instead of true or false")
    choices: tuple[Share, ...] = Field(default=(), description="the numbers that the judge chooses from")
    use_reasoning: bool = Field(default=True, description="the judge gives its reasons before the score")
    few_shot_examples: tuple[FewShotExample, ...] = Field(
        default=(), description="graded examples: inputs, outputs, and optionally score and reasoning"
    )

    @model_validator(mode="after")
    def _has_a_choice(self) -> Self:
        if self.choices and len(set(self.choices)) < 2:
            raise at("choices", fault="it has one number only; write at least two")
        return self

    def used_fields(self, reads: tuple[str, ...]) -> tuple[str, ...]:
        return reads if self.use_reference else parts_used(reads, ())

    def ask(self, trace: AgentTrace) -> Generator[Sequence[Question], Sequence[Answer], Score]:
        reference = self._reference(trace)
        if self.use_reference and not reference:
            return Score.skip("no reference says which trajectory was expected")
        if not trace.messages and not trace.tool_calls:
            return Score.skip("neither messages nor tool calls were recorded")
        if self.prompt == "tool_selection" and (unrecorded := unrecorded_calls(trace)):
            return Score.skip(unrecorded)
        evidence = self.shown(trace, ("input", *_ACTUAL, *reference))
        question = make_question(
            _PROMPTS[self.prompt],
            evidence,
            self._form(),
            reference=_EQUIVALENT if reference else "",
            examples=self._examples(),
            answer=self._answer(),
        )
        [answer] = yield [question]
        reasoning = answer.value.get("reasoning", "")
        return Score(value=float(answer.value["score"]), explanation=words(reasoning), details=evidence.details)

    def _reference(self, trace: AgentTrace) -> tuple[str, ...]:
        """Return the part of the reference that is compared; empty if there is none."""
        reference = trace.reference
        if not self.use_reference or reference is None:
            return ()
        if reference.expected_trajectory is not None:
            return (_TRAJECTORY,)
        return (_CALLS,) if reference.expected_tool_calls is not None else ()

    def _form(self) -> JsonObject:
        score: Any = {"type": "boolean"}
        if self.choices:
            score = {"type": "number", "enum": list(self.choices)}
        elif self.continuous:
            score = SCORE
        return form(reasoning=REASON, score=score) if self.use_reasoning else form(score=score)

    def _answer(self) -> str:
        score = "`score`, true for a good trajectory, else false"
        if self.choices:
            score = f"`score`, one of {', '.join(map(str, self.choices))}; more is better"
        elif self.continuous:
            score = "`score`, a number from 0 (bad) to 1 (good)"
        return f"`reasoning`, two or three sentences, and then {score}" if self.use_reasoning else score

    def _examples(self) -> str:
        lines = [example.model_dump_json(exclude_none=True) for example in self.few_shot_examples]
        return "\n".join(("", "Examples, a line each:", *lines, "")) if lines else ""

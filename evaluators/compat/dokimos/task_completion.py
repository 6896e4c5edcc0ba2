"""Which tasks did the agent complete, by Dokimos' count?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from pydantic import Field

from ...definition.dialogue import Dialogue, Question
from ...definition.registry import evaluator
from ...llm.answer_parsing import REASON, form
from ...llm.base import Judged, has, texts_of_references, turns
from ...llm.evidence import Evidence, Given
from ...llm.evidence_parts import numbered
from ...llm.prompt import instructions
from ...model import JsonObject, Score
from .java_text import is_blank
from .reply import Unreadable, fields_of, objects, reader

__all__ = ["TaskCompletion"]

_FORM: Final = form(
    tasks={"type": "array", "items": form(task=REASON, completed={"type": "boolean"}, reason=REASON)},
)


@evaluator(
    "dokimos:task_completion",
    version=2,
    source="Dokimos TaskCompletionEvaluator (commit c80dd90), its reading of replies LlmResponseUtils (commit 0b6a1d3)",
    reads=("input", "final_response", "reference.tasks", "reference.constraints"),
    skipped_when="no reference says which tasks there were, or the input was not recorded",
    threshold=0.5,
)
class TaskCompletion(Judged):
    """How many entries of the judge's reply say `completed: true`, over the number of tasks; 1 without tasks.

    Verdicts are counted, not matched with tasks: one too many, or on an unknown task, raises the score, up to 1.
    Only true counts, neither 1 nor "true". The judge sees the input and the final response, but no tool calls; of a
    conversation, those of all turns, whose tasks count together, equal ones once.
    """

    prompts: ClassVar[tuple[str, ...]] = ("dokimos_task_completion",)
    sees_sessions: ClassVar[bool] = True

    compat: bool = Field(default=False, description="like Dokimos: 0 for a reply of the judge that cannot be read")

    def ask(self, given: Given) -> Dialogue:
        tasks = texts_of_references(given, "tasks")
        if tasks is None:
            return Score.skip("no reference says which tasks there were")
        if not tasks:
            return Score(value=1.0, explanation="there were no tasks")
        if not has(given, "input"):
            return Score.skip("the input was not recorded")
        shown = self._evidence(given, tasks)
        prompt, read = instructions("dokimos_task_completion"), reader(_verdicts, compat=self.compat)
        [answer] = yield [Question(instructions=prompt, evidence=shown.text, form=_FORM, read=read)]
        return _score(answer.value, len(tasks), shown)

    def _evidence(self, given: Given, tasks: Sequence[str]) -> Evidence:
        is_answered = any(run.final_response and not is_blank(run.final_response) for run in turns(given))
        answered = ("final_response",) if is_answered else ()
        constraints = texts_of_references(given, "constraints")
        more: dict[str, Any] = {"tasks": numbered("task", tasks)}
        more |= {"constraints": numbered("constraint", constraints)} if constraints else {}
        return self.shown(given, ("input", *answered), more)


def _verdicts(answer: object) -> list[JsonObject]:
    if not isinstance(answer, dict):
        raise Unreadable("it is not an object")
    return objects(answer.get("tasks"))


def _score(verdicts: Sequence[JsonObject] | None, total: int, shown: Evidence) -> Score:
    if verdicts is None:
        return Score(value=0.0, explanation="the judge's reply could not be read", details=shown.details)
    completed = sum(verdict.get("completed") is True for verdict in verdicts)
    return Score(
        value=min(1.0, completed / total),
        explanation=f"{completed}/{total} tasks completed",
        details=shown.details | {"task_results": fields_of(verdicts, "task", "completed", "reason")},
    )

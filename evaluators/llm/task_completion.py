"""Did the agent do what it was asked to do, task by task?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, ClassVar, Final

from pydantic import Field

from ..definition.dialogue import Answer, Dialogue, Question
from ..definition.registry import evaluator
from ..model import JsonObject, Score
from ..text.messages import counted, listed
from .answer_parsing import REASON, each_once, form
from .base import NO_ANSWER, NO_INPUT, Judged, has, make_question, texts_of_references
from .evidence import Given
from .evidence_parts import numbered

__all__ = ["TaskCompletion"]

_REQUEST = ("input", "requests")
_PARTS = (*_REQUEST, "tool_calls", "final_response", "error")
_MOST_TASKS: Final = 20
_NAMED_CHARACTERS: Final = 60

_TASKS: Final = form(
    tasks={"type": "array", "maxItems": _MOST_TASKS, "items": {"type": "string", "minLength": 1}},
)
_VERDICTS: Final = form(
    tasks={
        "type": "array",
        "items": form(task={"type": "integer"}, reason=REASON, completed={"type": "boolean"}),
    }
)


@evaluator(
    "task_completion",
    version=1,
    source="Dokimos TaskCompletionEvaluator; each verdict belongs to a task, and the tool calls are shown",
    reads=(
        "input",
        "messages",
        "tool_calls",
        "final_response",
        "error",
        "reference.tasks",
        "reference.constraints",
    ),
    skipped_when="no reference says which tasks there were, or there were none; the request or what came of it not "
    "recorded",
    threshold=0.5,
)
class TaskCompletion(Judged):
    """Share of the tasks that the agent completed, as a judge sees it.

    The tasks are those of the reference, and a task that violates one of its constraints is not completed. With
    `extract_tasks`, if no reference has tasks, the judge is first asked for the tasks of the request, and
    `details.tasks_from` is `judge`. In a conversation the tasks of all turns count, equal ones once.
    """

    prompts: ClassVar[tuple[str, ...]] = ("task_completion", "task_extraction")
    sees_sessions: ClassVar[bool] = True

    extract_tasks: bool = Field(
        default=False,
        description="if no reference has tasks, ask the judge for the tasks of the request",
    )

    def ask(self, given: Given) -> Dialogue:
        tasks = texts_of_references(given, "tasks")
        if tasks is None and not self.extract_tasks:
            return Score.skip("no reference says which tasks there were; `extract_tasks` lets the judge find out")
        if not has(given, *_REQUEST):
            return Score.skip(NO_INPUT)
        if not has(given, "final_response", "tool_calls"):
            return Score.skip(NO_ANSWER)
        origin = "reference" if tasks is not None else "judge"
        expected = tasks if tasks is not None else (yield from self._extracted(given))
        if not expected:
            return Score.skip("there are no tasks to complete", tasks_from=origin)
        return (yield from self._judge_tasks(given, expected, origin))

    def _extracted(self, given: Given) -> Generator[Sequence[Question], Sequence[Answer], list[str]]:
        [answer] = yield [make_question("task_extraction", self.shown(given, _REQUEST), _TASKS, most=str(_MOST_TASKS))]
        tasks: list[str] = answer.value["tasks"]
        return tasks

    def _judge_tasks(self, given: Given, tasks: Sequence[str], origin: str) -> Dialogue:
        constraints = texts_of_references(given, "constraints")
        more: dict[str, Any] = {"tasks": numbered("task", tasks)}
        more |= {"constraints": numbered("constraint", constraints)} if constraints else {}
        shown = self.shown(given, _PARTS, more)
        belongs = each_once("task", range(1, len(tasks) + 1))
        [answer] = yield [
            make_question("task_completion", shown, _VERDICTS, check=lambda fields: belongs(fields["tasks"]))
        ]
        verdicts = sorted(answer.value["tasks"], key=lambda verdict: verdict["task"])
        return _score(tasks, verdicts, shown.details | {"tasks_from": origin})


def _score(tasks: Sequence[str], verdicts: Sequence[JsonObject], details: JsonObject) -> Score:
    completed = sum(verdict["completed"] for verdict in verdicts)
    missed = [_quote_task(task) for task, verdict in zip(tasks, verdicts, strict=True) if not verdict["completed"]]
    explanation = f"{completed} of {counted(len(tasks), 'task')} completed"
    results = [
        {"task": task, "completed": verdict["completed"], "reason": verdict["reason"]}
        for task, verdict in zip(tasks, verdicts, strict=True)
    ]
    return Score(
        value=completed / len(tasks),
        explanation=f"{explanation}; not completed: {listed(missed)}" if missed else explanation,
        details=details | {"tasks": results},
    )


def _quote_task(task: str) -> str:
    """Return the task in quotes and on one line, cut to 60 characters."""
    line = " ".join(task.split())
    return f'"{line}"' if len(line) <= _NAMED_CHARACTERS else f'"{line[:_NAMED_CHARACTERS].rstrip()}…"'

"""Evaluates a run with the evaluators of a case, each with what it expects itself.

Source: https://github.com/EntityProcess/agentv, packages/core/src/evaluation/evaluators.ts at 2.7.0 and 4.42.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.catalog.specification import WrongSpec
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.formats.agentv.case_evaluator import CODE_TYPES, JUDGE_TYPES, CaseEvaluator
from tracegrade.evaluators.formats.agentv.eval_case import EvalCase
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction
from tracegrade.evaluators.model import AgentTrace, JsonObject, Reference

from ...conversion.attachment import read_attachment

__all__ = ["EvaluatorResult", "describe", "evaluate_case", "weigh"]

_LONGEST_PATH: Final = 200
"""A longer prompt is a text."""

_VERDICTS: Final = ("pass", "borderline", "fail")
_PASSES, _BORDERLINE = 0.8, 0.6
"""The scores from which a result passes, and is borderline, in AgentV."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorResult:
    """What one evaluator says. `score` is None if it was not evaluated, for the `reason`."""

    name: str
    type: str
    score: float | None
    weight: float = 1.0
    reason: str | None = None
    stated_verdict: str | None = None
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    members: tuple[EvaluatorResult, ...] = ()

    @property
    def verdict(self) -> str | None:
        """AgentV's word for the score: pass, borderline or fail."""
        if self.score is None or self.stated_verdict is not None:
            return self.stated_verdict
        return "pass" if self.score >= _PASSES else "borderline" if self.score >= _BORDERLINE else "fail"


def evaluate_case(
    case: EvalCase, run: AgentTrace, *, folder: Path, judge: JudgeFunction | None = None
) -> tuple[EvaluatorResult, ...]:
    """Evaluate a run with the evaluators of its case; scripts and prompts are files below `folder`."""
    return tuple(_evaluate(each, case, run, folder=folder, judge=judge) for each in case.evaluators)


def weigh(results: Sequence[EvaluatorResult]) -> float | None:
    """Return the mean of the scores by their weights; None without a score."""
    scored = [(result.score, result.weight) for result in results if result.score is not None]
    total = sum(weight for _, weight in scored)
    return sum(score * weight for score, weight in scored) / total if total else None


def _evaluate(
    block: CaseEvaluator, case: EvalCase, run: AgentTrace, *, folder: Path, judge: JudgeFunction | None
) -> EvaluatorResult:
    if block.members:
        members = tuple(_evaluate(each, case, run, folder=folder, judge=judge) for each in block.members)
        return _result(block, weigh(members), members=members)
    if (fact := _FACTS.get(block.type)) is not None:
        return fact(block, run)
    try:
        evaluator = _configure(block, case, folder)
    except (WrongSpec, ValueError, OSError) as error:
        return _result(block, None, reason=str(error))
    if evaluator.kind == "llm" and judge is None:
        return _result(block, None, reason="it asks a judge, and none is configured: add `judges` to tracegrade.yaml")
    reference = block.reference or _make_reference(case)
    (score, *_) = evaluate(evaluator, run.model_copy(update={"reference": reference.hashed()}), judge=judge)
    return _of_score(block, score)


def _configure(block: CaseEvaluator, case: EvalCase, folder: Path) -> Configured:
    """Make the evaluator of a block. Raises ValueError, WrongSpec and OSError."""
    if block.options is not None:
        return configure(block.use, name=block.name, options=block.options)
    if block.type in CODE_TYPES:
        script = block.block.get("script") or block.block.get("command")
        words = [script] if isinstance(script, str) else script
        if not isinstance(words, list) or not words:
            raise ValueError("it has no script; write the command as a list of words")
        return build(
            {"command": [_find_program(word, folder) for word in words], "name": block.name}, resolve=import_function
        )
    if block.type in JUDGE_TYPES:
        return configure("rubric", name=block.name, options={"criteria": _find_criteria(block, case, folder)})
    raise ValueError(f"evaluators of type {block.type} are not available here")


def _find_program(word: object, folder: Path) -> str:
    """Return a word of a command; one that names a file below the folder becomes its path."""
    path = folder / str(word)
    return str(path.resolve()) if path.is_file() else str(word)


def _is_file(path: Path) -> bool:
    """Return whether there is something other than a folder at a path, such as a file, a pipe or a broken link."""
    return (path.exists() or path.is_symlink()) and not path.is_dir()


def _find_criteria(block: CaseEvaluator, case: EvalCase, folder: Path) -> str:
    """Return what a judge is to look at: the prompt of the block, a file or a text, and the expected outcome."""
    prompt = block.block.get("prompt")
    text = str(prompt) if prompt is not None else ""
    if text and len(text) < _LONGEST_PATH and "\n" not in text and _is_file(folder / text):
        try:
            text = read_attachment(folder, text)
        except ValueError as error:
            raise ValueError(f"its prompt {text} cannot be read: {error}") from error
    parts = [text, f"Expected: {case.expected_outcome}" if case.expected_outcome else ""]
    criteria = "\n\n".join(part for part in parts if part)
    if not criteria:
        raise ValueError("it has no prompt, and the case no expected_outcome: there is nothing to judge by")
    return criteria


def _make_reference(case: EvalCase) -> Reference:
    expectation = case.expectation
    return Reference(**expectation.defined) if expectation is not None else Reference()


def _of_score(block: CaseEvaluator, score: ScoreRecord) -> EvaluatorResult:
    if score.value is None:
        return _result(block, None, reason=score.reason or score.explanation)
    findings = {name: tuple(map(str, _list(score.details, name))) for name in ("hits", "misses", "warnings")}
    return _result(block, score.value, reason=score.explanation, stated_verdict=_find_verdict(score), **findings)


def _find_verdict(score: ScoreRecord) -> str | None:
    """Return the verdict that the evaluator itself states, which its score alone may not show."""
    verdict = score.details.get("verdict")
    return verdict if verdict in _VERDICTS else None


def _list(details: Mapping[str, object], name: str) -> Sequence[object]:
    value = details.get(name)
    return value if isinstance(value, (list, tuple)) else ()


def _result(block: CaseEvaluator, score: float | None, **fields: Any) -> EvaluatorResult:
    return EvaluatorResult(name=block.name, type=block.type, weight=block.weight, score=score, **fields)


def _check_limits(
    limits: Mapping[str, Callable[[AgentTrace], float | None]], block: CaseEvaluator, run: AgentTrace
) -> EvaluatorResult:
    """Return the share of the limits of a block that facts of the run keep: 1 if all do."""
    hits: list[str] = []
    misses: list[str] = []
    for key, read in limits.items():
        if (limit := block.block.get(key)) is None:
            continue
        value = read(run)
        if value is None:
            return _result(block, None, reason=f"the run does not record what {key} limits")
        (hits if value <= limit else misses).append(f"{key}: {value:g} of {limit:g}")
    if not (hits or misses):
        return _result(block, None, reason=f"it has no limit; write {' or '.join(limits)}")
    score = 1.0 if not misses else 0.0
    return _result(block, score, hits=tuple(hits), misses=tuple(misses))


def _sum_tokens(run: AgentTrace) -> float | None:
    if run.input_tokens is None or run.output_tokens is None:
        return None
    return run.input_tokens + run.output_tokens


_FACTS: Final[Mapping[str, Callable[[CaseEvaluator, AgentTrace], EvaluatorResult]]] = {
    "latency": partial(_check_limits, {"threshold": lambda run: run.duration_ms}),
    "cost": partial(_check_limits, {"budget": lambda run: run.cost_usd}),
    "token_usage": partial(
        _check_limits,
        {
            "max_total": _sum_tokens,
            "max_input": lambda run: run.input_tokens,
            "max_output": lambda run: run.output_tokens,
        },
    ),
}
"""The evaluators that look at figures of the run alone: milliseconds, US dollars, tokens."""


def describe(result: EvaluatorResult) -> JsonObject:
    """Return a result in AgentV's keys."""
    known = {
        "name": result.name,
        "type": result.type,
        "score": result.score,
        "weight": None if result.weight == 1 else result.weight,
        "verdict": result.verdict,
        "reasoning": result.reason,
        "evaluator_results": [describe(member) for member in result.members] or None,
    }
    return {
        **{key: value for key, value in known.items() if value is not None or key == "score"},
        "hits": list(result.hits),
        "misses": list(result.misses),
        **({"warnings": list(result.warnings)} if result.warnings else {}),
    }

"""Reads AgentV's eval files from the data that YAML or JSON holds.

Version 2 has `evalcases` with `expected_outcome` and `input_messages`, version 4 `tests` with `criteria` and `input`.

In version 2 the evaluators of the file count for cases without any; later they follow those of each case, unless its
`execution.skip_defaults` is set.
Source: https://github.com/EntityProcess/agentv, yaml-parser.ts at d5d572ab^, 3f6e2a60 and 4.42.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from ...model import JsonObject
from ..field_values import object_at, text_at
from ..imported import RecordFault
from ..spelling import Unreadable, record
from .case_evaluator import CaseEvaluator, WrongEvaluator, read_evaluators
from .eval_case import Attachments, EvalCase, read_case

__all__ = ["CASE_LISTS", "EvalFile", "PlaceOf", "read_eval_file"]

PlaceOf: TypeAlias = Callable[[Sequence[str | int]], str]
"""Returns the place of the value under these keys, such as `line 3`."""

CASE_LISTS: Final = ("tests", "eval_cases", "evalcases")
_FIRST_KEY: Final = "evalcases"
_EVALUATORS: Final = ("assertions", "assert")
_OF_VERSION_5: Final = ("prompts", "providers")


def _place_without_lines(keys: Sequence[str | int]) -> str:
    """Return the first two of the keys, such as `tests[0]`."""
    return "".join(f"[{key}]" if isinstance(key, int) else str(key) for key in keys[:2])


@dataclass(frozen=True, slots=True)
class EvalFile:
    """An eval file. `faults` are the cases that cannot be read; all others are in `cases`."""

    cases: tuple[EvalCase, ...]
    faults: tuple[RecordFault, ...] = ()
    description: str | None = None
    dataset: str | None = None
    target: str | None = None


def read_eval_file(
    data: object, place_of: PlaceOf = _place_without_lines, read_file: Attachments | None = None
) -> EvalFile:
    """Return what an eval file holds.

    Raises ValueError if the file is none, or if what concerns all its cases cannot be read.
    """
    suite = record(data, "the file")
    key = next((key for key in CASE_LISTS if suite.get(key) is not None), None)
    if key is None:
        raise Unreadable("the file has neither tests nor evalcases; write the cases under one of them")
    if found := [name for name in _OF_VERSION_5 if name in suite]:
        raise Unreadable(f"{found[0]}: this is an eval file of AgentV 5; those of versions 2 to 4 are read")
    if not isinstance(suite[key], list):
        raise Unreadable(f"{key} is not a list; write the cases there, not in a file of their own")
    execution = object_at(suite, "execution") or {}
    target = text_at(execution, "target", "execution") or text_at(suite, "target")
    try:
        evaluators = _read_suite_evaluators(suite, execution)
    except WrongEvaluator as error:
        raise Unreadable(f"{place_of(error.keys)}: {error}") from error
    cases: list[EvalCase] = []
    faults: list[RecordFault] = []
    places: dict[str, str] = {}
    for index, item in enumerate(suite[key]):
        place = place_of((key, index))
        try:
            case = _read_case(item, place, key, evaluators, target, read_file)
            if case.id in places:
                raise Unreadable(f"id: {case.id!r} is also that of {places[case.id]}")
            places[case.id] = place
            cases.append(case)
        except WrongEvaluator as error:
            faults.append(RecordFault(place_of((key, index, *error.keys)), str(error)))
        except ValueError as error:
            faults.append(RecordFault(place, str(error)))
        except RecursionError:
            faults.append(RecordFault(place, "it is nested too deeply"))
    return EvalFile(
        tuple(cases),
        tuple(faults),
        description=text_at(suite, "description"),
        dataset=text_at(suite, "dataset") or text_at(suite, "name"),
        target=target,
    )


def _read_suite_evaluators(suite: JsonObject, execution: JsonObject) -> tuple[CaseEvaluator, ...]:
    for key in _EVALUATORS:
        if suite.get(key) is not None:
            return read_evaluators(suite[key], key)
    if execution.get("evaluators") is not None:
        return read_evaluators(execution["evaluators"], "execution.evaluators")
    return ()


def _read_case(
    item: object,
    place: str,
    key: str,
    evaluators: tuple[CaseEvaluator, ...],
    target: str | None,
    read_file: Attachments | None,
) -> EvalCase:
    case_item = record(item, "the case")
    defaults = () if key == _FIRST_KEY and _has_evaluators(case_item) else evaluators
    return read_case(case_item, place, defaults=defaults, target=target, read_file=read_file)


def _has_evaluators(item: JsonObject) -> bool:
    execution = item.get("execution")
    has_own = isinstance(execution, dict) and execution.get("evaluators") is not None
    return has_own or item.get("evaluators") is not None

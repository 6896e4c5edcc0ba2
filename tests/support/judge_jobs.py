"""Jobs of judges: evaluators that ask, a cache in memory, and clocks that a test moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import orjson
from tests.support.llm import Llm

from tracegrade.evaluators.definition.dialogue import Answer, Asking, BadAnswer, Dialogue, Question
from tracegrade.evaluators.definition.registry import Budget, Configured
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.ports import Evaluated, EvaluationPass, JudgeCall, Spent

__all__ = [
    "Clock",
    "Memory",
    "Waking",
    "ask_once",
    "ask_side_by_side",
    "make_judge",
    "make_llm_evaluator",
    "make_pass",
    "make_question",
    "make_run",
    "read_score",
    "run_judge",
]

_START = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - UTC, as in the store
_STEPS = 20
"""After so many turns of the event loop each task has gone as far as it can."""

_FORM = {
    "type": "object",
    "properties": {"score": {"type": "number"}},
    "required": ["score"],
    "additionalProperties": False,
}


@dataclass
class Clock:
    """A clock that only `sleep` and tests move. `slept_s` has every pause."""

    passed_s: float = 0.0
    slept_s: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return _START + timedelta(seconds=self.passed_s)

    def elapsed_s(self) -> float:
        return self.passed_s

    async def sleep(self, for_s: float) -> None:
        self.slept_s.append(for_s)
        self.passed_s += for_s
        await asyncio.sleep(0)


@dataclass
class Waking(Clock):
    """A clock that moves when all tasks sleep, to the time when the first one wakes."""

    _asleep: list[tuple[float, asyncio.Future[None]]] = field(default_factory=list)

    async def sleep(self, for_s: float) -> None:
        self.slept_s.append(for_s)
        awake = asyncio.get_running_loop().create_future()
        self._asleep.append((self.passed_s + for_s, awake))
        await awake

    async def all(self, *jobs: Coroutine[Any, Any, None]) -> None:
        """Moves the clock until these jobs are done."""
        done = asyncio.gather(*jobs)
        while not done.done():
            for _ in range(_STEPS):
                await asyncio.sleep(0)
            self._wake_first()
        await done

    def _wake_first(self) -> None:
        self._asleep = [one for one in self._asleep if not one[1].done()]
        if self._asleep:
            self.passed_s, awake = min(self._asleep, key=lambda one: one[0])
            awake.set_result(None)


@dataclass
class Memory:
    """A JudgeCache. `calls` has all rows in order, `lookups` the number of hashes in each lookup, `judged` the time of
    the score by evaluator and target."""

    calls: list[JudgeCall] = field(default_factory=list)
    lookups: list[int] = field(default_factory=list)
    judged: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        self.lookups.append(len(request_hashes))
        known = [call for call in self.paid if call.request_hash in request_hashes and call.status != "error"]
        best = {call.request_hash: call for call in sorted(known, key=_rank)}
        return {key: call for key, call in best.items() if not self._is_judged(call)}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        new = {call.judge_call_id for call in calls}
        self.calls = [call for call in self.calls if call.judge_call_id not in new] + list(calls)

    def _is_judged(self, call: JudgeCall) -> bool:
        judged_at = self.judged.get((call.evaluator, call.target_id))
        return call.status == "unusable" and judged_at is not None and call.started_at <= judged_at

    @property
    def statuses(self) -> list[str]:
        return [call.status for call in self.calls]

    @property
    def spent(self) -> Mapping[str, Spent]:
        """The cost of the calls, as of one day, by evaluator and under "" of all."""
        names = {"", *(call.evaluator for call in self.calls)}
        told = {name: _spent([call for call in self.paid if name in {"", call.evaluator}]) for name in names}
        pending = [replace(call, request=None) for call in self.calls if call.status == "pending"]
        return {**told, "": replace(told[""], pending_calls=pending)}

    @property
    def paid(self) -> list[JudgeCall]:
        return [call for call in self.calls if not call.from_cache]


def _rank(call: JudgeCall) -> tuple[bool, bool, datetime]:
    """The rank of a call: `lookup` returns the highest."""
    return call.status == "ok", call.status == "pending", call.started_at


def _spent(calls: Sequence[JudgeCall]) -> Spent:
    pending = [call for call in calls if call.status == "pending"]
    return Spent(
        input_tokens=sum(call.input_tokens or 0 for call in calls),
        output_tokens=sum(call.output_tokens or 0 for call in calls),
        cost_usd=sum(call.cost_usd or 0.0 for call in calls),
        pending_tokens=sum((call.input_tokens or 0) + (call.output_tokens or 0) for call in pending),
        pending_usd=sum(call.cost_usd or 0.0 for call in pending),
    )


def read_score(text: str) -> Any:
    """Reads the number at `score`. Raises BadAnswer."""
    try:
        return orjson.loads(text)["score"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise BadAnswer("it has no score", text) from error


def ask_once(given: Any) -> Dialogue:
    """A dialogue of one question, about the final response."""
    (answer,) = yield [make_question(given.final_response)]
    return Score(value=answer.value)


def make_question(evidence: str = "evidence", **fields: Any) -> Question:
    return Question(**{"instructions": "Judge it.", "evidence": evidence, "read": read_score, "form": _FORM, **fields})


class _Asks(Asking):
    dialogue: Callable[[Any], Dialogue]

    def ask(self, given: Any) -> Dialogue:
        return self.dialogue(given)


def make_llm_evaluator(
    dialogue: Callable[[Any], Dialogue] = ask_once, *, name: str = "polite", budget: Budget | None = None
) -> Configured:
    """An evaluator of kind llm that holds this dialogue."""
    return Configured(
        name=name,
        type=name,
        version=1,
        scope="trace",
        threshold=0.5,
        only_with_reference=False,
        function=_Asks(dialogue=dialogue),  # type: ignore[arg-type]  # it is asked, not called
        config_hash="hash",
        kind="llm",
        asks="default",
        budget=budget or Budget(),
    )


def ask_side_by_side(*questions: Question) -> Callable[[Any], Dialogue]:
    """A dialogue that asks these questions at once, and returns the mean of the answers."""

    def dialogue(_: Any) -> Dialogue:
        answers: Sequence[Answer] = yield questions
        return Score(value=sum(answer.value for answer in answers) / len(answers))

    return dialogue


def make_run(number: int = 0, response: str | None = None) -> AgentTrace:
    trace_id = f"{number:032x}"
    return AgentTrace(
        agent_trace_id=f"{trace_id}-{number:016x}",
        trace_id=trace_id,
        agent_span_id=f"{number:016x}",
        final_response=response or f"answer {number}",
    )


def make_judge(server: Llm | str, **settings: Any) -> Judge:
    """A judge on this server, without a key or limits unless `settings` name them."""
    url = server if isinstance(server, str) else server.url
    usual = {"base_url": url, "model": "judge-1", "api_key_env": None, "requests_per_minute": None, "usd_per_day": None}
    return Judge(**{**usual, **settings})


def run_judge(
    judge: Judge,
    pairs: Sequence[tuple[Configured, AgentTrace]] | None = None,
    *,
    memory: Memory | None = None,
    clock: Clock | None = None,
    spent: Mapping[str, Spent] | None = None,
    times: int = 1,
) -> Evaluated:
    """Runs so many jobs on one engine, and returns the result of the last."""
    clock = clock or Clock()

    async def ask() -> Evaluated:
        engine = Engine(
            "default",
            judge,
            memory if memory is not None else Memory(),
            now=clock.now,
            elapsed_s=clock.elapsed_s,
            sleep=clock.sleep,
        )
        try:
            for _ in range(times):
                found = await engine.ask(make_pass(clock), pairs or [(make_llm_evaluator(), make_run())], spent or {})
                if memory is not None:
                    memory.judged |= {(one.evaluator, one.target_id): one.scored_at for one in found.scores}
            return found
        finally:
            await engine.close()

    return asyncio.run(ask())


def make_pass(clock: Clock) -> EvaluationPass:
    return EvaluationPass(id="pass", started_at=clock.now())

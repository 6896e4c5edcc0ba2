"""Estimates the questions to a judge for some targets, and their cost, before any is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from tracegrade.evaluators.definition.dialogue import Asking, BadAnswer, Dialogue, Question
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import Target
from tracegrade.evaluators.definition.visible_calls import visible_part
from tracegrade.evaluators.execution.run import pairs
from tracegrade.evaluators.judges.budget.price import usd
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.exchange.outcome import Broken, outcome, unwrap
from tracegrade.evaluators.judges.exchange.reply import Reply
from tracegrade.evaluators.judges.exchange.request import Request
from tracegrade.evaluators.ports import JudgeCall

__all__ = ["Cost", "Estimate"]

Lookup = Callable[[Collection[str]], Mapping[str, JudgeCall]]

_UNREADABLE: Final = (AttributeError, TypeError, ValueError)
"""The errors of a dialogue that yields something other than questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The questions that would be asked now, without those that follow from their answers.

    `known` counts those that the store answers. Tokens are estimates; `most_output_tokens` is the limit of the judge,
    `output_tokens` its usual amount, None if it has not answered anything yet. US dollars are None if the price is
    unknown.
    """

    questions: int
    known: int
    input_tokens: int
    output_tokens: int | None
    most_output_tokens: int
    usd: float | None
    most_usd: float | None


class Estimate:
    """Counts the questions of an evaluator's dialogues, up to the first answer that is not known yet."""

    def __init__(self, evaluator: Configured, judge: Judge, lookup: Lookup) -> None:
        self._evaluator = evaluator
        self._judge = judge
        self._lookup = lookup
        self._new: dict[str, Request] = {}
        self._known: set[str] = set()

    def add(self, targets: Sequence[Target]) -> None:
        """Run the dialogues about these targets in parallel, so that one look-up serves all of them."""
        steps = list(self._begin(targets))
        while steps:
            hashes = {request.request_hash for _, requests in steps for request in requests}
            replies = {hash_: reply for hash_, call in self._lookup(hashes).items() if (reply := _read_reply(call))}
            self._known |= replies.keys()
            self._new |= {
                request.request_hash: request
                for _, requests in steps
                for request in requests
                if request.request_hash not in replies
            }
            steps = [
                step
                for dialogue, requests in steps
                if all(request.request_hash in replies for request in requests)
                and (step := self._advance(dialogue, _make_answer_step(dialogue, requests, replies)))
            ]

    def compute_cost(self, usual_output_tokens: float | None) -> Cost:
        """Compute the cost of all questions so far; `usual_output_tokens` are those of one answer."""
        count = len(self._new)
        input_tokens = sum(request.input_tokens for request in self._new.values())
        most = count * self._judge.max_output_tokens
        usual = None if usual_output_tokens is None else min(most, round(count * usual_output_tokens))
        price = partial(usd, self._judge, input_tokens=input_tokens)
        return Cost(
            questions=count,
            known=len(self._known),
            input_tokens=input_tokens,
            output_tokens=usual,
            most_output_tokens=most,
            usd=None if usual is None else price(output_tokens=usual),
            most_usd=price(output_tokens=most),
        )

    def _begin(self, targets: Sequence[Target]) -> Iterator[tuple[Dialogue, list[Request]]]:
        for evaluator, target in pairs(targets, [self._evaluator]):
            try:
                dialogue = cast("Asking", evaluator.function).ask(visible_part(evaluator, target))
            except (Exception, SystemExit):  # noqa: BLE001, S112 - it asks nothing; the evaluation reports the error
                continue
            if step := self._advance(dialogue, partial(next, dialogue)):
                yield step

    def _advance(
        self, dialogue: Dialogue, step: Callable[[], Sequence[Question]]
    ) -> tuple[Dialogue, list[Request]] | None:
        """Return the dialogue with its next questions; None if it has ended or failed, and so asks nothing more."""
        try:
            requests = [Request.of(self._judge, question) for question in step()]
            for request in requests:
                _ = request.request_hash  # raises if the question is not valid
        except (StopIteration, *_UNREADABLE):
            return None
        except (Exception, SystemExit):  # noqa: BLE001 - as above
            return None
        return dialogue, requests


def _make_answer_step(
    dialogue: Dialogue, requests: Sequence[Request], replies: Mapping[str, Reply]
) -> Callable[[], Sequence[Question]]:
    """Return a step that answers these questions from known replies."""

    def step() -> Sequence[Question]:
        answers: list[Any] = []
        for request in requests:
            try:
                answers.append(unwrap(outcome(request.question, replies[request.request_hash])))
            except BadAnswer as error:
                return dialogue.throw(error)
            except Broken as broken:
                raise broken.error from broken
        return dialogue.send(answers)

    return step


def _read_reply(call: JudgeCall) -> Reply | None:
    return Reply.of_kept(call.response)

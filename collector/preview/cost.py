"""What a judge would be asked for some targets, and what that costs, before anything is asked."""

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
"""What a dialogue leads to that yields something else than questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The questions that would be asked now; what follows from their answers is not among them.

    `known` counts those that the store answers. Tokens are estimates; `most_output_tokens` is what the judge may answer
    at most, `output_tokens` what it usually answers, None where it has answered nothing so far. US dollars are None
    where the price is not known.
    """

    questions: int
    known: int
    input_tokens: int
    output_tokens: int | None
    most_output_tokens: int
    usd: float | None
    most_usd: float | None


class Estimate:
    """Counts the questions of an evaluator's dialogues, as far as they go without an answer that is not known yet."""

    def __init__(self, evaluator: Configured, judge: Judge, lookup: Lookup) -> None:
        self._evaluator = evaluator
        self._judge = judge
        self._lookup = lookup
        self._new: dict[str, Request] = {}
        self._known: set[str] = set()

    def add(self, targets: Sequence[Target]) -> None:
        """Goes through the dialogues about these targets side by side, so that one look-up serves all of them."""
        under_way = list(self._begin(targets))
        while under_way:
            hashes = {request.request_hash for _, requests in under_way for request in requests}
            known = {hash_: reply for hash_, call in self._lookup(hashes).items() if (reply := _read_reply(call))}
            self._known |= known.keys()
            self._new |= {
                request.request_hash: request
                for _, requests in under_way
                for request in requests
                if request.request_hash not in known
            }
            under_way = [
                step
                for dialogue, requests in under_way
                if all(request.request_hash in known for request in requests)
                and (step := self._advance(dialogue, _answer(dialogue, requests, known)))
            ]

    def cost(self, usual_output_tokens: float | None) -> Cost:
        """Of all questions so far; `usual_output_tokens` are those of an answer."""
        count = len(self._new)
        sent = sum(request.input_tokens for request in self._new.values())
        most = count * self._judge.max_output_tokens
        usual = None if usual_output_tokens is None else min(most, round(count * usual_output_tokens))
        price = partial(usd, self._judge, input_tokens=sent)
        return Cost(
            questions=count,
            known=len(self._known),
            input_tokens=sent,
            output_tokens=usual,
            most_output_tokens=most,
            usd=None if usual is None else price(output_tokens=usual),
            most_usd=price(output_tokens=most),
        )

    def _begin(self, targets: Sequence[Target]) -> Iterator[tuple[Dialogue, list[Request]]]:
        for evaluator, target in pairs(targets, [self._evaluator]):
            try:
                dialogue = cast("Asking", evaluator.function).ask(visible_part(evaluator, target))
            except (Exception, SystemExit):  # noqa: BLE001, S112 - it asks nothing; its evaluation tells the error
                continue
            if step := self._advance(dialogue, partial(next, dialogue)):
                yield step

    def _advance(
        self, dialogue: Dialogue, step: Callable[[], Sequence[Question]]
    ) -> tuple[Dialogue, list[Request]] | None:
        """The dialogue with its next questions; None where it has ended or failed: then it asks nothing more."""
        try:
            requests = [Request.of(self._judge, question) for question in step()]
            for request in requests:
                _ = request.request_hash  # raises where the question is none
        except (StopIteration, *_UNREADABLE):
            return None
        except (Exception, SystemExit):  # noqa: BLE001 - as above
            return None
        return dialogue, requests


def _answer(
    dialogue: Dialogue, requests: Sequence[Request], known: Mapping[str, Reply]
) -> Callable[[], Sequence[Question]]:
    """The step after these questions, all of whose answers are known."""

    def step() -> Sequence[Question]:
        answers: list[Any] = []
        for request in requests:
            try:
                answers.append(unwrap(outcome(request.question, known[request.request_hash])))
            except BadAnswer as bad:
                return dialogue.throw(bad)
            except Broken as broken:
                raise broken.error from broken
        return dialogue.send(answers)

    return step


def _read_reply(call: JudgeCall) -> Reply | None:
    return Reply.of_kept(call.response)

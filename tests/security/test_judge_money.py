"""What judges cost: a server that counts nothing, a sender that spends everybody's day, a run that never ends."""

from __future__ import annotations

import pytest
from tests.support.judging import judge, question

from tracegrade.evaluators.judge.reply import Reply
from tracegrade.evaluators.judge.request import Request

ASKED = Request(judge("http://127.0.0.1:1/v1", max_output_tokens=50), question("x" * 4_000))
ANSWER = "yes, " * 100


@pytest.mark.parametrize(
    ("sent", "said"), [(0, 0), (1, 1), (0, 20), (3, 0)], ids=["nothing", "one each", "nothing sent", "nothing said"]
)
def test_count_that_nobody_can_believe_is_estimated(sent: int, said: int) -> None:
    reply = Reply(text=ANSWER, model="m", input_tokens=sent, output_tokens=said, total_tokens=sent + said)
    booked = reply.estimated(ASKED)
    assert booked.is_estimated
    assert booked.input_tokens == ASKED.input_tokens
    assert booked.output_tokens in {said or len(ANSWER) // 4 + 1, len(ANSWER) // 4 + 1}


def test_answer_without_text_that_took_nothing_is_believed_of_a_server_that_counts() -> None:
    reply = Reply(text="", model="m", input_tokens=1_000, output_tokens=0).estimated(ASKED)
    assert (reply.input_tokens, reply.output_tokens, reply.is_estimated) == (1_000, 0, False)


def test_failure_of_a_server_that_counts_nothing_takes_the_most() -> None:
    reply = Reply(text="", model="m", input_tokens=0, output_tokens=0).estimated(ASKED)
    assert (reply.input_tokens, reply.output_tokens) == (ASKED.input_tokens, 50)

"""What judges cost: a server that counts nothing, a sender that spends everybody's day, a run that never ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import tale
from tests.support.judging import asking, judge, question
from tests.support.store import Clock, Store, opened

from tracegrade.evaluators.judge.reply import Reply
from tracegrade.evaluators.judge.request import Request
from tracegrade.evaluators.run import Here
from tracegrade.evaluators.schedule import run_pass

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


POLITE = asking()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """A store whose judge may see two late revisions of a run a day."""
    with opened(tmp_path, now=clock, max_revisions=2) as store:
        store.ledger.enrol([POLITE])
        yield store


def late_spans(store: Store, clock: Clock, *numbers: int) -> None:
    """Each makes a revision of the run, which the judge is asked about once it has settled."""
    for number in numbers:
        store.arrive([tale.tool(number, parent=1, at_s=1.5, args={"number": number})])
        store.revise(1)
        clock.pass_by(seconds=60)
        run_pass(store.ledger, Here(clock, judge=lambda _: "1"), [POLITE], now=clock)


def active(store: Store) -> list[tuple[int, int]]:
    """The revision of the run, and that of its active score."""
    sql = (
        "select runs.revision, scores.revision from agent_traces as runs join latest_scores as scores using (trace_id)"
    )
    return [(run, scored) for run, scored in store.rows(sql)]


def test_late_spans_of_one_run_are_judged_so_often_a_day_and_the_last_score_stays_active(
    store: Store, clock: Clock
) -> None:
    store.arrive(tale.trip(1))
    late_spans(store, clock, *range(10, 16))
    assert active(store) == [(6, 3)]
    [(until, reason)] = store.rows("select not_before, reason from due_later")
    assert until.time().isoformat() == "00:00:00"
    assert until > clock.now
    assert reason == "its judge has seen 2 late revisions of it today; resumes at 00:00 UTC"


def test_last_revision_of_a_restless_run_is_judged_the_next_day(store: Store, clock: Clock) -> None:
    store.arrive(tale.trip(1))
    late_spans(store, clock, *range(10, 16))
    clock.pass_by(days=1)
    run_pass(store.ledger, Here(clock, judge=lambda _: "1"), [POLITE], now=clock)
    assert active(store) == [(6, 6)]
    assert store.one("select count(*) from due_later") == 0

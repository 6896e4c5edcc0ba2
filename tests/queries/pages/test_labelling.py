"""The queue of runs to label, as a reader sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from starlette.applications import Starlette
from tests.support.agent_spans import agent, tool
from tests.support.otlp import run_id
from tests.support.pages import make_pages_app, open_page
from tests.support.score_rows import insert_scores, make_judge_score
from tests.support.store import Store, opened

CALLS = 100
CALL = f"{run_id(2)}#70"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """A judge is unsure of a run with many calls, and of a call of another such run."""
    with opened(tmp_path_factory.mktemp("labelling")) as store:
        for trace in (1, 2):
            calls = [
                tool(number + 2, f"tool_{number}", trace=trace, parent=1, at_s=0.05 * number) for number in range(CALLS)
            ]
            store.arrive([agent(1, trace=trace), *calls], resource={"service.name": f"service {trace}"})
        store.revise(1, 2)
        _add_scores(store, [(run_id(1), "trace"), (CALL, "tool_call")])
        yield make_pages_app(store.database)


def _add_scores(store: Store, targets: Sequence[tuple[str, str]]) -> None:
    began = store.one("select min(started_at) from agent_traces")
    about = {"value": 0.5, "passed": True, "target_time": began}
    with store.database.cursor() as connection:
        insert_scores(
            connection,
            *(
                make_judge_score(target, scope=scope, agent_trace_id=target.partition("#")[0], **about)
                for target, scope in targets
            ),
        )


def test_run_with_many_calls_is_shown_by_the_first_and_the_last(app: Starlette) -> None:
    shown = open_page(app, "/labelling?since=all&service=service+1")
    assert "1 of 1 " in shown.text
    assert "40 of 100 calls are shown, the first and the last." in shown.text
    assert [f"tool_{number} " in shown.text for number in (0, 19, 20, 79, 80, 99)] == [
        True,
        True,
        False,
        False,
        True,
        True,
    ]


def test_call_of_many_is_shown_with_those_around_it(app: Starlette) -> None:
    shown = open_page(app, "/labelling?since=all&service=service+2")
    assert "40 of 100 calls are shown, those around the one to label." in shown.text
    assert "this call: tool_70" in shown.text
    assert [f"tool_{number} " in shown.text for number in (49, 50, 89, 90)] == [False, True, True, False]


def test_queue_of_another_service_is_empty(app: Starlette) -> None:
    assert "Nothing to label" in open_page(app, "/labelling?since=all&service=other").text

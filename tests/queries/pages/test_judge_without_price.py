"""What pages say of the cost of a judge."""

from __future__ import annotations

from pathlib import Path

from tests.support.evaluators import make_evaluator
from tests.support.otlp import run_id
from tests.support.pages import make_pages_app, open_page
from tests.support.score_rows import insert_scores, make_judge_score
from tests.support.store import opened


def test_unknown_price_of_a_judge_is_not_shown_as_no_judge(tmp_path: Path) -> None:
    check = make_evaluator("check")
    with opened(tmp_path) as store:
        store.ledger.enrol([check])
        store.add_runs(1)
        store.evaluate(check)
        about = {"agent_trace_id": run_id(1), "value": 1.0, "passed": True, "cost_usd": None}
        began = store.one("select started_at from agent_traces")
        with store.database.cursor() as connection:
            insert_scores(connection, make_judge_score(run_id(1), target_time=began, **about))
        app = make_pages_app(store.database, evaluators=[check])
        overview, listed = open_page(app, "/?since=all").text, open_page(app, "/evaluators?since=all").text
        former, running = (open_page(app, f"/evaluators/{name}?since=all").text for name in ("polite", "check"))
    assert overview.count("no price known") == 2  # of all judges, of this one
    assert overview.count("asks no judge") == 1
    assert "no judge was asked" not in overview
    assert "not configured" in listed
    assert "it asks no judge" not in former
    assert "it asks no judge" in running

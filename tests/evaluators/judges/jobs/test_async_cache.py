"""The memory that judges are tested with finds what the one of the store finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.support.judge_jobs import Memory
from tests.support.score_rows import BEGAN, insert_scores, make_judge_call, make_judge_score
from tests.support.store import opened

from tracegrade.collector.store.ledger.judge_calls import StoredJudgeCalls
from tracegrade.evaluators.ports import JudgeCache, JudgeCall

Judged: TypeAlias = Mapping[tuple[str, str], datetime]


def in_memory(_: Path, calls: Sequence[JudgeCall], judged: Judged) -> Mapping[str, str]:
    return found(Memory(judged=dict(judged)), calls)


def in_store(folder: Path, calls: Sequence[JudgeCall], judged: Judged) -> Mapping[str, str]:
    rows = [make_judge_score(target, evaluator=name, scored_at=at) for (name, target), at in judged.items()]
    with opened(folder) as store:
        with store.results.transaction() as connection:
            insert_scores(connection, *rows)
        return found(StoredJudgeCalls(store.database, store.results), calls)


def found(cache: JudgeCache, calls: Sequence[JudgeCall]) -> Mapping[str, str]:
    cache.record(calls)
    return {key: call.judge_call_id for key, call in cache.lookup(["h1", "h2"]).items()}


def call(name: str, status: Any, after_s: float = 0, **fields: Any) -> JudgeCall:
    began = BEGAN + timedelta(seconds=after_s)
    return make_judge_call(1, judge_call_id=name, status=status, started_at=began, **fields)


OK, PENDING, UNUSABLE = call("ok", "ok"), call("pending", "pending"), call("unusable", "unusable")
RUN = ("polite", "run")


@pytest.mark.parametrize("kept", [in_memory, in_store])
@pytest.mark.parametrize(
    ("calls", "judged", "first"),
    [
        ([OK, call("later", "pending", 1), call("latest", "unusable", 2)], {}, "ok"),
        ([call("later", "unusable", 1), PENDING], {}, "pending"),
        ([PENDING, call("later", "unusable", 1)], {}, "pending"),
        ([call("later", "ok", 1), OK], {}, "later"),
        ([call("later", "unusable", 1), UNUSABLE], {}, "later"),
        ([OK, call("as late", "ok")], {}, "as late"),
        ([call("error", "error"), call("known", "ok", from_cache=True)], {}, None),
        ([UNUSABLE], {RUN: BEGAN}, None),
        ([UNUSABLE], {RUN: BEGAN - timedelta(seconds=1)}, "unusable"),
        ([UNUSABLE], {("another", "run"): BEGAN, ("polite", "another"): BEGAN}, "unusable"),
        ([UNUSABLE, PENDING, make_judge_call(2)], {RUN: BEGAN}, "pending"),
    ],
    ids=[
        "answer before all else",
        "pending before no score",
        "pending before a later no score",
        "latest answer",
        "latest no score",
        "latest written of two at once",
        "neither error nor from the cache",
        "no score that is judged",
        "no score that was judged before",
        "no score where others are judged",
        "pending though judged",
    ],
)
def test_call_that_is_found_first(
    tmp_path: Path,
    calls: Sequence[JudgeCall],
    judged: Judged,
    first: str | None,
    kept: Callable[[Path, Sequence[JudgeCall], Judged], Mapping[str, str]],
) -> None:
    assert kept(tmp_path, calls, judged).get("h1") == first

"""Annotations over HTTP once they are stored: listed in pages, and removed; and the queue of what is worth one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from tests.support import otlp
from tests.support.api import make_api, read_error
from tests.support.score_rows import insert_scores, make_judge_score, make_person_score
from tests.support.store import Clock, Store, opened

from tracegrade.collector.clock import utc_now
from tracegrade.collector.store.engines.readers import InProcess
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.queries.ports import Annotation

PATH = "/api/v1/annotations"
RUN = otlp.run_id(1)


class Desk:
    """Removes annotations from a store, and does nothing else."""

    def __init__(self, store: Store) -> None:
        self._annotations = Annotations(store.results, now=store.now)

    def remove_annotation(self, score_id: str) -> None:
        self._annotations.remove(score_id)


def send(store: Store, method: str, path: str, **query: Any) -> httpx.Response:
    async def sending() -> httpx.Response:
        reader = InProcess(store.database.connect)
        app = make_api(reader=reader, own=reader, commands=Desk(store))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            return await client.request(method, path, params=query)

    return asyncio.run(sending())


def listed(store: Store, **query: Any) -> list[tuple[str, str, float | None]]:
    """Target, author and value of each annotation on the first page."""
    answer = send(store, "GET", PATH, **query)
    assert answer.status_code == 200, answer.text
    return [(each["target_id"], each["author"], each["value"]) for each in answer.json()["annotations"]]


def write(store: Store, clock: Clock, target: dict[str, Any], *, author: str = "ada", name: str = "polite") -> str:
    clock.pass_by(seconds=1)
    fields = {"target": target, "name": name, "author": author, "value": 0.5}
    (score_id,) = Annotations(store.results, now=clock).write([Annotation.model_validate(fields)])
    return score_id


def test_annotations_are_listed_by_target_author_and_name_newest_first(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        store.add_runs(1, 2, session="s1")
        write(store, clock, {"agent_trace_id": RUN})
        write(store, clock, {"agent_trace_id": RUN, "position": 0}, author="bob")
        write(store, clock, {"session_id": "s1"}, name="solved")
        write(store, clock, {"agent_trace_id": otlp.run_id(2)})
        with store.database.cursor() as connection:
            insert_scores(connection, make_judge_score(RUN))
        by_target = [(RUN, "ada", 0.5), (f"{RUN}#0", "bob", 0.5)]
        assert listed(store) == [(otlp.run_id(2), "ada", 0.5), ("session:s1", "ada", 0.5), *by_target[::-1]]
        assert listed(store, target=RUN) == by_target[::-1]
        assert listed(store, target=otlp.trace_id(1)) == by_target[::-1]
        assert listed(store, target=f"{RUN}#0") == by_target[1:]
        assert listed(store, author="bob") == by_target[1:]
        assert listed(store, name="solved") == [("session:s1", "ada", 0.5)]
        assert listed(store, target="nothing") == []


def test_pages_follow_each_other_without_a_gap(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        store.add_runs()
        fields = {"target": {"agent_trace_id": RUN}, "author": "ada", "value": 0.5, "time": "2026-01-01T12:00:00Z"}
        same_time = [
            Annotation.model_validate_json(orjson.dumps({**fields, "name": f"n{number}"})) for number in range(4)
        ]
        Annotations(store.results).write(same_time)
        write(store, clock, {"agent_trace_id": RUN})
        found: list[str] = []
        query: dict[str, Any] = {"limit": 2}
        while True:
            page = send(store, "GET", PATH, **query).json()
            found += [each["name"] for each in page["annotations"]]
            if page["next"] is None:
                break
            query["cursor"] = page["next"]
        assert (len(found), len(set(found)), found[0]) == (5, 5, "polite")


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"autor": "ada"}, "autor: there is no such query parameter (did you mean 'author'?)"),
        ({"limit": 0}, "limit: it is 0; write 1 or more"),
        ({"cursor": "next"}, "cursor: this is not the `next` of an earlier page"),
        ({"superseded": "perhaps"}, "superseded: it is 'perhaps'"),
    ],
    ids=["unknown", "limit", "cursor", "superseded"],
)
def test_wrong_parameter_of_the_list_is_named(tmp_path: Path, query: dict[str, Any], detail: str) -> None:
    with opened(tmp_path) as store:
        status, kind, text = read_error(send(store, "GET", PATH, **query))
        assert (status, kind) == (400, "malformed")
        assert text.startswith(detail)


def test_removed_annotation_is_only_in_the_history_and_a_second_removal_changes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        store.add_runs()
        score_id = write(store, clock, {"agent_trace_id": RUN})
        for _ in range(2):
            answer = send(store, "DELETE", f"{PATH}/{score_id}")
            assert (answer.status_code, answer.content) == (204, b"")
        assert listed(store) == []
        (former,) = send(store, "GET", PATH, superseded=True).json()["annotations"]
        assert (former["score_id"], former["superseded_reason"]) == (score_id, "withdrawn")


def test_removal_of_what_is_no_annotation_or_was_replaced_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        store.add_runs()
        earlier, later = (write(store, clock, {"agent_trace_id": RUN}) for _ in range(2))
        status, kind, text = read_error(send(store, "DELETE", f"{PATH}/nothing"))
        assert (status, kind) == (404, "not_found")
        assert text.startswith("there is no annotation 'nothing'; scores of evaluators cannot be removed")
        status, kind, text = read_error(send(store, "DELETE", f"{PATH}/{earlier}"))
        assert (status, kind, later in text) == (409, "conflict", True)


def test_queue_names_the_target_the_evaluator_and_the_reason(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        usual: dict[str, Any] = {"target_time": utc_now(), "agent_trace_id": RUN, "agent_name": "travel"}
        rows = [
            make_judge_score(RUN, passed=True, value=0.55, **usual),
            make_judge_score(f"{RUN}#0", passed=False, value=0.45, evaluator="right", **usual),
            make_person_score("labelled", passed=True, **usual),
        ]
        with store.database.cursor() as connection:
            insert_scores(connection, *rows)
        (entry,) = send(store, "GET", "/api/v1/labelling", evaluator="polite").json()["queue"]
        expected = {"place": 1, "target_id": RUN, "evaluator": "polite", "passed": True, "agent_name": "travel"}
        assert expected.items() <= entry.items()
        assert entry["reason"] == "polite is unsure: 0.55, and 0.5 passes"
        assert len(send(store, "GET", "/api/v1/labelling", limit=1).json()["queue"]) == 1
        _, _, text = read_error(send(store, "GET", "/api/v1/labelling", since="7 dogs"))
        assert text.startswith("since: '7 dogs' is not a time")

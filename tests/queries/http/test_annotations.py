"""Annotations over HTTP: what is understood, what comes back, who may write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import orjson
import pytest
from tests.support.api import make_api, read_error

from tracegrade.queries.http.annotations import MAX_ANNOTATIONS
from tracegrade.queries.ports import (
    Annotation,
    AnnotationRefused,
    IdTaken,
    NoSuchTarget,
    VagueTarget,
)

PATH = "/api/v1/annotations"
TRACE, SPAN = "ab" * 16, "cd" * 8
POLITE = {"target": {"trace_id": TRACE}, "name": "polite", "value": 1}


class Desk:
    """Takes annotations, or refuses them, and does nothing else."""

    def __init__(self, refusal: AnnotationRefused | None = None) -> None:
        self.taken: list[Annotation] = []
        self._refusal = refusal

    def annotate(self, annotations: Sequence[Annotation]) -> list[str]:
        if self._refusal:
            raise self._refusal
        self.taken += annotations
        return [f"score {number}" for number, _ in enumerate(annotations)]


def send(desk: Desk, body: object, *, token: str | None = None, **headers: str) -> httpx.Response:
    """One request; a body that is no bytes is sent as JSON. Headers with _ for -."""

    async def sending() -> httpx.Response:
        app = make_api(commands=desk, token=token)
        given = {"content-type": "application/json"} | {name.replace("_", "-"): text for name, text in headers.items()}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            content = body if isinstance(body, bytes) else orjson.dumps(body)
            return await client.post(PATH, content=content, headers=given)

    return asyncio.run(sending())


def test_one_annotation_is_answered_with_its_id() -> None:
    desk = Desk()
    answer = send(desk, POLITE)
    assert (answer.status_code, answer.json()) == (200, {"score_ids": ["score 0"]})
    (taken,) = desk.taken
    assert (taken.target.trace_id, taken.value, taken.author, taken.kind) == (TRACE, 1.0, "anonymous", "human")


def test_list_of_annotations_is_answered_in_order() -> None:
    desk = Desk()
    answer = send(desk, [POLITE, {**POLITE, "kind": "external", "time": "2026-01-01T12:00:00Z"}])
    assert answer.json() == {"score_ids": ["score 0", "score 1"]}
    assert [one.kind for one in desk.taken] == ["human", "external"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"value": 4}, "value: it is 4; write 1 or less"),
        ({"value": "1"}, "value: it is '1'; write a number"),
        ({"value": True}, "value: it is a boolean; write a number"),
        ({"name": " "}, "name: it is empty"),
        ({"kind": "code"}, "kind: it is 'code'; write human or external"),
        ({"valeu": 1}, "valeu: there is no such field (did you mean 'value'?)"),
        ({"target": {"trace": TRACE}}, "target.trace: there is no such field (did you mean 'trace_id'?)"),
        ({"time": "yesterday"}, "time: it is 'yesterday'; write a time such as 2026-01-31T12:00:00Z"),
        ({"time": "0001-01-01T00:00:00"}, "time: is not between 1970 and 2262"),
        ({"value": None}, "give at least one of value, label, passed and explanation"),
        ({"target": {}}, "target: name one thing"),
        ({"target": {"trace_id": TRACE, "session_id": "s"}}, "target: name one thing"),
        ({"target": {"position": 0}}, "target: name one thing"),
        ({"target": {"trace_id": "abc"}}, "target.trace_id: it is 'abc'; write text that fits ^[0-9a-fA-F]{32}$"),
        ({"target": {"trace_id": TRACE, "position": -1}}, "target.position: it is -1; write 0 or more"),
    ],
    ids=lambda each: repr(each)[:40],
)
def test_what_is_wrong_is_said_with_its_place(change: dict[str, Any], where: str) -> None:
    desk = Desk()
    status, kind, message = read_error(send(desk, {**POLITE, **change}))
    assert (status, kind) == (400, "malformed")
    assert where in message
    _, _, in_list = read_error(send(desk, [POLITE, {**POLITE, **change}]))
    assert in_list.startswith("annotations[1]")
    assert where in in_list
    assert desk.taken == []


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 400), (b"{", 400), (b"[]", 400), (b"3", 400), (b'{"name": "\\ud800"}', 400), (b" " * 2**21, 413)],
    ids=["nothing", "broken", "empty list", "number", "half a character", "too much"],
)
def test_body_that_is_no_annotation_is_refused(body: bytes, status: int) -> None:
    assert send(Desk(), body).status_code == status


def test_more_than_a_request_may_hold_is_refused() -> None:
    assert send(Desk(), [POLITE] * MAX_ANNOTATIONS).status_code == 200
    assert read_error(send(Desk(), [POLITE] * (MAX_ANNOTATIONS + 1)))[0] == 400


@pytest.mark.parametrize(
    ("refusal", "status", "kind"),
    [
        (NoSuchTarget(1, "target", "there is none"), 404, "not_found"),
        (VagueTarget(1, "target", "there is none"), 400, "malformed"),
        (IdTaken(1, "target", "there is none"), 409, "conflict"),
    ],
    ids=["not there", "vague", "id taken"],
)
def test_refusal_names_the_annotation_it_is_about(refusal: AnnotationRefused, status: int, kind: str) -> None:
    answer = read_error(send(Desk(refusal), [POLITE, POLITE]))
    assert answer == (status, kind, "annotations[1].target: there is none")
    assert read_error(send(Desk(refusal), POLITE)) == (status, kind, "target: there is none")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Bearer secret", "host": "evil.example"}, 403),
        ({"authorization": "Bearer secret", "content_type": "text/plain"}, 415),
        ({"authorization": "Bearer secret", "content_type": "application/x-www-form-urlencoded"}, 415),
        ({"authorization": "Bearer secret"}, 200),
    ],
    ids=["no token", "wrong token", "foreign name", "what a form can send", "a form", "as it should be"],
)
def test_who_may_ask_may_write_and_nobody_else(headers: dict[str, str], status: int) -> None:
    desk = Desk()
    assert send(desk, POLITE, token="secret", **headers).status_code == status
    assert len(desk.taken) == (status == 200)

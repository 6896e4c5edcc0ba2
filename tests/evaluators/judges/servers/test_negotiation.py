"""A server is asked as it likes: what helped one question is learned for all, what did not is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta

import orjson
import pytest
from tests.support.judge_jobs import (
    Clock,
    Memory,
    ask_side_by_side,
    make_judge,
    make_llm_evaluator,
    make_pass,
    make_question,
    make_run,
    run_judge,
)
from tests.support.llm import Asked, Llm, Reply, llm

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Evaluated

WELL = Reply(text='{"score": 0.8}')
UNEXPLAINED = Reply(status=400, text="Invalid request")
INNOCENT = [(make_llm_evaluator(), make_run(number)) for number in range(4)]
ODD = (make_llm_evaluator(), make_run(99, "odd"))


def form_of(asked: Asked) -> str | None:
    form: str | None = asked.body.get("response_format", {}).get("type")
    return form


def without(field: str, complaint: Reply) -> Callable[[Asked], Reply]:
    """A server that refuses whatever has such a field."""
    return lambda asked: complaint if field in asked.body else WELL


def in_batches(server: Llm, jobs: Sequence[Sequence[tuple[Configured, AgentTrace]]]) -> list[Evaluated]:
    """What the jobs of one engine find, whose batches are done when the next one looks."""
    clock, memory = Clock(), Memory()

    async def ask() -> list[Evaluated]:
        engine = Engine("default", make_judge(server, mode="batch"), memory, now=clock.now)
        found = []
        for pairs in jobs:
            found.append(await engine.ask(make_pass(clock), pairs, {}))
            server.work_off()
        await engine.close()
        return found

    return asyncio.run(ask())


def odd_is_refused(asked: Asked) -> Reply:
    return UNEXPLAINED if asked.evidence == "odd" else WELL


def test_question_that_is_refused_for_what_it_says_makes_no_other_question_of_a_batch_worse() -> None:
    with llm(odd_is_refused) as server:
        *_, found = in_batches(server, [[ODD]] * 8)
        assert found.scores[0].status == "error"
        before = len(server.asked)
        *_, found = in_batches(server, [[ODD]] * 2 + [INNOCENT] * 2)
        assert {form_of(asked) for asked in server.asked[before:] if asked.evidence != "odd"} == {"json_schema"}
    assert [score.value for score in found.scores] == [0.8] * 4


def test_question_that_is_refused_beside_others_that_are_answered_is_at_fault_itself() -> None:
    with llm(odd_is_refused) as server:
        *_, found = in_batches(server, [[*INNOCENT, ODD]] * 2)
        assert len(server.batches) == 1
    assert [score.status for score in found.scores] == ["scored"] * 4 + ["error"]


def test_question_that_is_refused_after_others_were_answered_in_an_earlier_batch_is_at_fault_itself() -> None:
    with llm(odd_is_refused) as server:
        *_, found = in_batches(server, [INNOCENT, INNOCENT, [ODD], [ODD]])
        assert len(server.batches) == 2
    assert [score.status for score in found.scores] == ["error"]


def test_answer_to_a_question_without_a_form_in_a_batch_proves_no_form() -> None:
    plain = (make_llm_evaluator(ask_side_by_side(make_question("plain", form=None))), make_run(98))
    with llm(without("response_format", UNEXPLAINED)) as server:
        *_, found = in_batches(server, [[plain, *INNOCENT]] * 4)
    assert [score.value for score in found.scores] == [0.8] * 5


def test_what_helped_a_question_of_a_batch_is_learned_for_those_that_follow() -> None:
    with llm(without("response_format", UNEXPLAINED)) as server:
        in_batches(server, [[ODD]] * 4 + [INNOCENT])
        refused = len([asked for asked in server.asked if form_of(asked) is not None])
        assert refused == 2
        assert server.asked[-1].body["temperature"] == 0


def test_question_of_a_batch_goes_on_trying_after_a_restart() -> None:
    memory = Memory()
    with llm(without("response_format", UNEXPLAINED)) as server:
        for _ in range(4):
            found = run_judge(make_judge(server, mode="batch"), [ODD], memory=memory)
            server.work_off()
        assert [form_of(asked) for asked in server.asked] == ["json_schema", "json_object", None]
    assert [score.value for score in found.scores] == [0.8]


def test_one_question_whose_form_is_refused_leaves_others_the_form_that_is_known_to_work() -> None:
    def script(asked: Asked) -> Reply:
        refused = asked.evidence == "odd" and form_of(asked) == "json_schema"
        return Reply(status=400, text="Invalid schema for response_format") if refused else WELL

    memory, forms = Memory(), ["json_schema", "json_object", "json_schema"]
    with llm(script) as server:
        found = run_judge(make_judge(server, concurrency=1), [INNOCENT[0], ODD, INNOCENT[1]], memory=memory)
        assert [form_of(asked) for asked in server.asked] == ["json_schema", *forms]
    assert [score.value for score in found.scores] == [0.8] * 3
    assert [(call.request or {})["response_format"]["type"] for call in memory.calls] == forms


REFUSED = {
    "temperature, unnamed": ("temperature", UNEXPLAINED),
    "limit, without the other name": ("max_tokens", Reply(status=400, text="Unknown request field: max_tokens")),
    "content model": (
        "response_format",
        Reply(status=422, text="Extra inputs are not permitted, see the content model"),
    ),
    "name and other words": ("response_format", Reply(status=400, text="safety: response_format is over the maximum")),
    "limit, unnamed": ("max_tokens", Reply(status=422, text="Extra inputs are not permitted")),
    "param": ("max_tokens", Reply(status=400, raw=b'{"error": {"message": "Unsupported", "param": "max_tokens"}}')),
    "param before the message": (
        "max_tokens",
        Reply(status=400, raw=b'{"error": {"message": "Allowed: temperature, stop", "param": "max_tokens"}}'),
    ),
    "loc": (
        "temperature",
        Reply(status=422, raw=b'{"message": "too many fields", "detail": [{"loc": ["body", "temperature"]}]}'),
    ),
    "404": (
        "response_format",
        Reply(status=404, text="No endpoints found that can handle the requested parameters: response_format"),
    ),
    "404, unnamed": (
        "response_format",
        Reply(status=404, text="No endpoints found that can handle the requested parameters."),
    ),
    "500": ("response_format", Reply(status=500, text="response_format json_schema unsupported")),
    "501": ("response_format", Reply(status=501, text="response_format json_schema unsupported")),
    "503": ("response_format", Reply(status=503, text="response_format json_schema unsupported")),
    "a list of what is allowed": (
        "response_format",
        Reply(status=400, text="Unknown field: response_format. Allowed: model, messages, temperature, max_tokens"),
    ),
}


@pytest.mark.parametrize("mode", ["live", "batch"])
@pytest.mark.parametrize(("field", "complaint"), REFUSED.values(), ids=REFUSED)
def test_what_a_server_does_not_take_is_left_out_and_all_else_is_kept(field: str, complaint: Reply, mode: str) -> None:
    with llm(without(field, complaint)) as server:
        if mode == "live":
            found = run_judge(make_judge(server), INNOCENT)
        else:
            *_, found = in_batches(server, [INNOCENT] * 7)
        last = server.asked[-1].body
    assert [score.value for score in found.scores] == [0.8] * 4
    assert {"response_format", "temperature"} - last.keys() == {field} - {"max_tokens"}
    assert {"max_tokens", "max_completion_tokens"} & last.keys()


@pytest.mark.parametrize(
    "complaint",
    [
        Reply(status=404, text="The model `temperature-json-mode` does not exist"),
        Reply(status=429, text="too many: lower max_tokens"),
        Reply(status=402, text="This needs more credits, or fewer max_tokens"),
    ],
    ids=["name of a model", "pace", "money"],
)
def test_what_is_not_about_the_form_is_not_asked_in_another(complaint: Reply) -> None:
    with llm(lambda _: complaint) as server:
        assert run_judge(make_judge(server)).deferred
        assert len({orjson.dumps(asked.body) for asked in server.asked}) == 1


def test_server_that_refuses_several_fields_without_a_name_is_understood() -> None:
    refused = {"response_format", "temperature", "max_tokens"}
    with llm(lambda asked: UNEXPLAINED if refused & asked.body.keys() else WELL) as server:
        assert [score.value for score in run_judge(make_judge(server), INNOCENT).scores] == [0.8] * 4


def test_questions_that_a_server_never_takes_are_soon_asked_once_only() -> None:
    with llm(lambda _: UNEXPLAINED) as server:
        found = run_judge(make_judge(server, concurrency=1), INNOCENT)
        assert len(server.asked) == 2 * 7 + 2
    assert [score.status for score in found.scores] == ["error"] * 4


def test_server_that_breaks_over_something_else_waits_as_ever() -> None:
    with llm(lambda _: Reply(status=500, text="oh")) as server:
        (waiting,) = run_judge(make_judge(server)).deferred
        assert {form_of(asked) for asked in server.asked} == {"json_schema"}
    assert "cannot be reached" in waiting.reason
    assert waiting.kind == "judge_unreachable"


def test_server_that_is_busy_in_between_is_not_asked_from_the_beginning_again() -> None:
    replies = iter([UNEXPLAINED, Reply(status=429, text="one a second")])
    with llm(lambda _: next(replies, WELL)) as server:
        (score,) = run_judge(make_judge(server)).scores
        assert [form_of(asked) for asked in server.asked] == ["json_schema", "json_object", "json_object"]
    assert score.value == 0.8


TOO_MANY = Reply(
    status=400,
    raw=b'{"error": {"message": "max_tokens is too large: 2000. This model supports at most 1000 completion tokens", '
    b'"param": "max_tokens"}}',
)
SETTINGS = {
    "limit": (TOO_MANY, {}, "`max_output_tokens`"),
    "limit in words alone": (Reply(status=400, text="max_tokens: 2000 > 1000"), {}, "`max_output_tokens`"),
    "parameter": (
        Reply(status=422, raw=b'{"detail": [{"loc": ["body", "top_p"], "msg": "too large", "input": 2}]}'),
        {"parameters": {"top_p": 2}},
        "`parameters.top_p`",
    ),
    "no server of the model": (
        Reply(status=404, text="No endpoints found that can handle the requested parameters."),
        {},
        "`model` or `parameters`",
    ),
}


@pytest.mark.parametrize("mode", ["live", "batch"])
@pytest.mark.parametrize(("complaint", "settings", "what"), SETTINGS.values(), ids=SETTINGS)
def test_setting_that_no_format_helps_is_named_and_its_questions_wait(
    complaint: Reply, settings: dict[str, object], what: str, mode: str
) -> None:
    clock, memory = Clock(), Memory()
    with llm(lambda _: complaint) as server:
        found = run_judge(make_judge(server, mode=mode, **settings), [ODD], memory=memory, clock=clock)
        while mode == "batch" and f"correct {what}" not in found.deferred[0].reason:
            server.work_off()
            found = run_judge(make_judge(server, mode=mode, **settings), [ODD], memory=memory, clock=clock)
    (waiting,) = found.deferred
    assert waiting.reason.endswith(f"correct {what}")
    assert waiting.until - clock.now() >= timedelta(minutes=5)


def test_question_whose_setting_is_refused_after_others_were_answered_is_at_fault_itself() -> None:
    with llm(lambda asked: TOO_MANY if asked.evidence == "odd" else WELL) as server:
        found = run_judge(make_judge(server, concurrency=1), [*INNOCENT, ODD])
    assert [score.status for score in found.scores] == ["scored"] * 4 + ["error"]


@pytest.mark.parametrize(
    "why",
    [
        "max_tokens is too large: 2000. The maximum context length is 8192 tokens, and your input has 7000",
        "This request was refused",
        "response_format: only one of it and temperature is allowed",
    ],
    ids=["length of the question", "no field", "no setting"],
)
def test_refusal_that_is_about_no_setting_is_an_error(why: str) -> None:
    with llm(lambda _: Reply(status=400, text=why)) as server:
        (score,) = run_judge(make_judge(server), [ODD]).scores
    assert score.status == "error"

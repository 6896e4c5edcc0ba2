"""Asking one judge about one dialogue, in this process or on a real server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.support.llm import Asked, Reply, llm, nowhere

from tracegrade.evaluators.definition.dialogue import BadAnswer, Dialogue, Question
from tracegrade.evaluators.judges.backends import asker as asker_module
from tracegrade.evaluators.judges.backends.asker import asker_of
from tracegrade.evaluators.judges.backends.named_model import judge_named
from tracegrade.evaluators.judges.exchange.failure import Misconfigured, Unreachable
from tracegrade.evaluators.llm.goal_achievement import GoalAchievement
from tracegrade.evaluators.model import AgentTrace, Score

RUN = AgentTrace(input="Refund A1", final_response="It is refunded.")
ANSWER = json.dumps({"reasoning": "It did.", "score": 0.75})


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asker_module, "_PAUSES_S", (0.0, 0.0))


def conclude(model: object, dialogue: Dialogue | None = None, **more: Any) -> Score:
    return asyncio.run(asker_of(model, **more).conclude(dialogue or GoalAchievement().ask(RUN)))


def test_server_is_asked_with_the_given_key_and_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another key")
    with llm(lambda _: ANSWER) as server:
        settings = {"base_url": server.url, "default_hyperparameters": {"temperature": 0.5, "top_p": 0.9}}
        score = conclude("openai/judge-1", key="your-api-key", settings=settings)
    assert score.value == 0.75
    [asked] = server.asked
    assert asked.api_key == "your-api-key"
    assert (asked.body["model"], asked.body["temperature"], asked.body["top_p"]) == ("judge-1", 0.5, 0.9)


def test_wrong_key_is_not_repeated_in_the_error() -> None:
    with (
        llm(lambda _: Reply(status=401, text="wrong key your-api-key")) as server,
        pytest.raises(Misconfigured, match=r"does not accept the key .*give a valid one") as refused,
    ):
        conclude("judge-1", key="your-api-key", settings={"base_url": server.url})
    assert "your-api-key" not in str(refused.value)


def test_busy_server_is_asked_again() -> None:
    replies: list[Reply | str] = [Reply(status=429, text="slow down"), Reply(status=503, text="starting"), ANSWER]

    def script(_: Asked) -> Reply | str:
        return replies.pop(0)

    with llm(script) as server:
        assert conclude("judge-1", key="k" * 8, settings={"base_url": server.url}).value == 0.75
    assert len(server.asked) == 3


def test_server_that_is_not_there_is_told_after_three_attempts() -> None:
    with pytest.raises(Unreachable):
        conclude("judge-1", key="k" * 8, settings={"base_url": nowhere()})


class Invoked:
    """A model of gllm's kind: `invoke` is a coroutine function."""

    async def invoke(self, _: str) -> str:
        return ANSWER


@pytest.mark.parametrize("model", [lambda _: ANSWER, Invoked()], ids=["a function", "an object with invoke"])
def test_model_may_be_a_function_or_an_object(model: object) -> None:
    assert conclude(model).value == 0.75


def test_judge_that_raises_stop_iteration_does_not_hang() -> None:
    answers = iter(())
    with pytest.raises(RuntimeError, match="it has no further answer"):
        conclude(lambda _: next(answers))


def test_bad_answer_is_thrown_into_the_dialogue() -> None:
    def dialogue() -> Dialogue:
        try:
            yield [Question(instructions="Say a number", evidence="", read=_refuse)]
        except ValueError as bad:
            return Score(value=0.0, explanation=str(bad))
        return Score.skip("it was accepted")

    assert conclude(lambda _: "one", dialogue()).explanation == "no number"


def _refuse(text: str) -> str:
    raise BadAnswer("no number", text)


@pytest.mark.parametrize(
    ("name", "settings", "judge"),
    [
        ("gpt-4.1", {}, ("gpt-4.1", False)),
        ("openai/gpt-4.1", {}, ("gpt-4.1", False)),
        ("openai:o3-mini", {}, ("o3-mini", False)),
        ("ft:gpt-4.1:house", {}, ("ft:gpt-4.1:house", False)),
        ("anthropic/claude-sonnet", {}, ("anthropic/claude-sonnet", True)),
        ("google_genai:gemini-pro", {}, ("gemini/gemini-pro", True)),
        ("org/model", {"base_url": "http://localhost:8000/v1"}, ("org/model", False)),
    ],
)
def test_name_of_a_model_says_how_it_is_asked(name: str, settings: dict[str, Any], judge: tuple[str, bool]) -> None:
    named = judge_named(name, key="your-api-key", settings=settings)
    assert (named.model, named.litellm) == judge
    assert "your-api-key" not in repr(named) + named.model_dump_json()


def test_name_without_a_key_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ValueError, match="needs credentials: give its key"):
        asker_of("openai/gpt-4.1")
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    asker_of("openai/gpt-4.1")
    with pytest.raises(TypeError, match="not int"):
        asker_of(5)

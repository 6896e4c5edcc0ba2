"""What is secret is sent to the judge, and told to nobody else."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from tests.support.judge_jobs import Memory, make_judge, run_judge
from tests.support.llm import Asked, Llm, Reply, llm

WELL = Reply(text='{"score": 0.8}')


@pytest.mark.parametrize(
    "key", ["sk-first\nsk-second", "sk-first…", "sk-first\x7f"], ids=["two lines", "…", "a control"]
)
def test_what_can_be_no_key_is_not_sent_and_waits_for_whoever_set_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", key)
    memory = Memory()
    with llm(lambda _: WELL) as server:
        (waiting,) = run_judge(make_judge(server, api_key_env="JUDGE_KEY"), memory=memory).deferred
        assert server.asked == []
    assert "JUDGE_KEY holds characters that no key has" in waiting.reason
    assert "sk-first" not in waiting.reason
    assert memory.calls == []


def test_blanks_and_line_breaks_around_a_key_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", " sk-first\r\n")
    with llm(lambda _: WELL) as server:
        assert run_judge(make_judge(server, api_key_env="JUDGE_KEY")).deferred == []
        assert server.asked[0].api_key == "sk-first"


def test_key_that_is_cut_in_half_where_an_answer_is_shown_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret-and-long")
    page = b"<html>" + b"x" * 80 + b" sk-very-secret-and-long"
    with llm(lambda _: Reply(raw=page)) as server:
        (waiting,) = run_judge(make_judge(server, api_key_env="JUDGE_KEY")).deferred
    assert "sk-v" not in waiting.reason


@pytest.mark.parametrize("status", [401, 413, 500], ids=str)
def test_key_that_an_answer_in_a_batch_repeats_is_not_told(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret")
    asked, memory = {"api_key_env": "JUDGE_KEY", "mode": "batch"}, Memory()
    with llm(lambda _: Reply(status=status, text="not with sk-very-secret" + "!" * 1_000)) as server:
        run_judge(make_judge(server, **asked), memory=memory)
        server.work_off()
        found = run_judge(make_judge(server, **asked), memory=memory)
    told = [score.reason or "" for score in found.scores] + [waiting.reason for waiting in found.deferred]
    assert "not with ***!" in told[0]
    assert "sk-very-secret" not in told[0] + repr(memory.calls)
    assert len(told[0]) < 600


def with_login(server: Llm, login: str) -> str:
    return server.url.replace("://", f"://{login}@")


def echo(asked: Asked) -> Reply:
    return Reply(status=401, text=f"no user is called {asked.headers.get('authorization')}")


@pytest.mark.parametrize(
    ("login", "sent"),
    [
        ("user:hunter2", "Basic dXNlcjpodW50ZXIy"),
        ("a%40b:p%3Aword", "Basic YUBiOnA6d29yZA=="),
        ("sk1-only", "Basic c2sxLW9ubHk6"),
    ],
    ids=["user and password", "encoded", "user alone"],
)
def test_login_of_an_address_is_sent_where_no_key_is_and_told_in_no_form(login: str, sent: str) -> None:
    memory = Memory()
    with llm(echo) as server:
        (waiting,) = run_judge(make_judge(with_login(server, login)), memory=memory).deferred
        assert server.asked[0].headers["authorization"] == sent
    told = waiting.reason + repr(memory.calls)
    assert "no user is called Basic ***" in told
    assert "correct the user and password in `base_url`" in told
    assert not [part for part in (sent.removeprefix("Basic "), login) if part in told]


def test_name_of_a_user_is_no_secret_where_there_is_a_password() -> None:
    with llm(lambda _: Reply(status=400, text="the user said hunter2")) as server:
        (score,) = run_judge(make_judge(with_login(server, "user:hunter2"))).scores
    assert "the user said ***" in (score.reason or "")


def test_secret_that_contains_another_is_made_unreadable_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-first")
    with llm(lambda _: Reply(status=400, text="called with sk-first-and-second")) as server:
        (score,) = run_judge(make_judge(f"{server.url}?token=sk-first-and-second", api_key_env="JUDGE_KEY")).scores
    assert "called with ***)" in (score.reason or "")


def test_address_with_a_login_takes_no_key_beside_it() -> None:
    with pytest.raises(ValidationError, match="take the user out of `base_url`, or set api_key_env to null") as refused:
        make_judge("http://user:hunter2@127.0.0.1:1/v1", api_key_env="JUDGE_KEY")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "key",
    [
        "gsk_THISISMYSECRETKEY1234567890",
        "aBcDeF0123456789aBcD",
        "ABCDEF0123456789ABCD",
        "AKIAIOSFODNN7EXAMPLE",
        "AKIA1234",
        "ABCDEF0123456789",
    ],
)
def test_key_in_place_of_the_name_of_its_variable_is_not_told(key: str) -> None:
    with llm(lambda _: WELL) as server:
        (waiting,) = run_judge(make_judge(server, api_key_env=key)).deferred
        assert server.asked == []
    assert f"the variable {key[:4]!r}… is not set" in waiting.reason
    assert key[:6] not in waiting.reason


@pytest.mark.parametrize("name", ["OPENAI_API_KY", "OPENAIKEY", "AZURE_OPENAI_KEY_2", "_KEY"])
def test_name_of_a_variable_that_is_mistyped_is_told(name: str) -> None:
    with llm(lambda _: WELL) as server:
        (waiting,) = run_judge(make_judge(server, api_key_env=name)).deferred
    assert f"{name} is not set; put the key" in waiting.reason


def test_variable_in_small_letters_that_is_set_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("judge_key", "sk-first")
    with llm(lambda _: Reply(status=401, text="no")) as server:
        (waiting,) = run_judge(make_judge(server, api_key_env="judge_key")).deferred
    assert "put a valid one into judge_key" in waiting.reason

"""What is secret is sent to the judge, and told to nobody else."""

from __future__ import annotations

import pytest
from tests.support.judging import Memory, judge, sit
from tests.support.llm import Reply, llm

WELL = Reply(text='{"score": 0.8}')


@pytest.mark.parametrize(
    "key", ["sk-first\nsk-second", "sk-first…", "sk-first\x7f"], ids=["two lines", "…", "a control"]
)
def test_what_can_be_no_key_is_not_sent_and_waits_for_whoever_set_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", key)
    memory = Memory()
    with llm(lambda _: WELL) as server:
        (waiting,) = sit(judge(server, api_key_env="JUDGE_KEY"), memory=memory).postponed
        assert server.asked == []
    assert "JUDGE_KEY holds characters that no key has" in waiting.reason
    assert "sk-first" not in waiting.reason
    assert memory.calls == []


def test_blanks_and_line_breaks_around_a_key_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", " sk-first\r\n")
    with llm(lambda _: WELL) as server:
        assert sit(judge(server, api_key_env="JUDGE_KEY")).postponed == []
        assert server.asked[0].api_key == "sk-first"


def test_key_that_is_cut_in_half_where_an_answer_is_shown_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret-and-long")
    page = b"<html>" + b"x" * 80 + b" sk-very-secret-and-long"
    with llm(lambda _: Reply(raw=page)) as server:
        (waiting,) = sit(judge(server, api_key_env="JUDGE_KEY")).postponed
    assert "sk-v" not in waiting.reason


@pytest.mark.parametrize("status", [401, 413, 500], ids=str)
def test_key_that_an_answer_in_a_batch_repeats_is_not_told(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret")
    asked, memory = {"api_key_env": "JUDGE_KEY", "mode": "batch"}, Memory()
    with llm(lambda _: Reply(status=status, text="not with sk-very-secret" + "!" * 1_000)) as server:
        sit(judge(server, **asked), memory=memory)
        server.work_off()
        found = sit(judge(server, **asked), memory=memory)
    told = [verdict.reason or "" for verdict in found.verdicts] + [waiting.reason for waiting in found.postponed]
    assert "not with ***!" in told[0]
    assert "sk-very-secret" not in told[0] + repr(memory.calls)
    assert len(told[0]) < 600

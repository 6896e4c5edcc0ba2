"""A proxy that the environment names is not the judge, and none of its troubles is held against a question."""

from __future__ import annotations

import asyncio
import os

import pytest
from tests.support.judge_jobs import Memory, make_judge, run_judge
from tests.support.llm import Reply, llm, nowhere

from tracegrade.evaluators.judges.backends.check import check

AFAR = "http://judge.invalid/v1"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_proxy_that_cannot_be_used_waits_for_whoever_set_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "garbage://user:hunter2@127.0.0.1:9")
    memory = Memory()
    (waiting,) = run_judge(make_judge(AFAR), memory=memory).deferred
    (fault,) = asyncio.run(check("default", make_judge(AFAR))).faults
    for told in (waiting.reason, fault):
        assert "cannot be asked: the HTTP client cannot be set up (ValueError: " in told
        assert "look at HTTP_PROXY, HTTPS_PROXY, ALL_PROXY" in told
        assert "hunter2" not in told
    assert memory.calls == []


def test_server_on_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "garbage://127.0.0.1:9")
    with llm(lambda _: Reply(text='{"score": 0.8}')) as server:
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            assert [score.value for score in run_judge(make_judge(url)).scores] == [0.8]


def test_proxy_that_is_down_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", nowhere())
    (waiting,) = run_judge(make_judge(AFAR)).deferred
    assert f"cannot be reached: {AFAR} through the proxy of HTTP_PROXY: " in waiting.reason


def test_proxy_whose_host_cannot_be_found_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy.invalid:3128")
    (waiting,) = run_judge(make_judge(AFAR)).deferred
    assert "the host of the proxy of ALL_PROXY cannot be found; correct ALL_PROXY" in waiting.reason


def test_proxy_that_is_not_for_this_host_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", nowhere())
    monkeypatch.setenv("NO_PROXY", "judge.invalid")
    (waiting,) = run_judge(make_judge(AFAR)).deferred
    assert f"the host of {AFAR} cannot be found; correct `base_url`" in waiting.reason

"""What a server says when it refuses is shown in whatever form it comes, but for what is secret."""

from __future__ import annotations

import pytest
from tests.support.judge_jobs import make_judge, run_judge
from tests.support.llm import Reply, llm

PAGE = b"<!DOCTYPE html>\n<title>Just a moment...</title>\x00" + b"x" * 500
ELSEWHERE = {"location": "https://me:secret1@sso.example:8443/?k=1"}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(status=404, raw=b"404 page not found"), "(404: 404 page not found)"),
        (Reply(status=403, raw=PAGE), "(403: <!DOCTYPE html> <title>Just a moment...</title>xxx"),
        (Reply(status=500, raw=b'{"detail": "no such thing"}'), '500: {"detail":"no such thing"}'),
        (Reply(status=307, raw=b"", headers=ELSEWHERE), "(307: Error code: 307, which leads to sso.example:8443)"),
        (Reply(status=302, raw=b"moved", headers=ELSEWHERE), "(302: moved, which leads to sso.example:8443)"),
        (Reply(status=302, raw=b"", headers={"location": "/login"}), "(302: Error code: 302)"),
        (Reply(status=307, raw=b"", headers={"location": "http://["}), "(307: Error code: 307)"),
    ],
    ids=[
        "text",
        "page",
        "JSON of its own",
        "redirect",
        "redirect with a text",
        "redirect to itself",
        "redirect to nothing",
    ],
)
def test_refusal_is_shown(reply: Reply, told: str) -> None:
    with llm(lambda _: reply) as server:
        (waiting,) = run_judge(make_judge(server)).deferred
    assert told in waiting.reason
    assert "secret1" not in waiting.reason
    assert len(waiting.reason) < 330


def test_key_in_a_refusal_that_is_no_json_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret-and-long")
    with llm(lambda _: Reply(status=403, raw=b"x" * 90 + b" sk-very-secret-and-long")) as server:
        (waiting,) = run_judge(make_judge(server, api_key_env="JUDGE_KEY")).deferred
    assert "sk-v" not in waiting.reason

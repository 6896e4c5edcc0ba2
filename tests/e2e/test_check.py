"""A configuration is tried without starting anything, and what `serve` would refuse is found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support.command import PROGRAM, Done, environment, inside

BAD = [
    pytest.param("memory_limt: 2GB", ["line 1", "memory_limt", "'memory_limit'"], id="misspelt setting"),
    pytest.param("listen:\n  grpcc: 127.0.0.1:1", ["line 2", "listen.grpcc", "'grpc'"], id="misspelt in a section"),
    pytest.param(
        "evaluators:\n  - use: defaults\n  - {use: tool_eror, name: x}",
        ["line 3", "'tool_eror'", "'tool_error'"],
        id="no such evaluator",
    ),
    pytest.param(
        "evaluators:\n  - {use: tool_error, options: {tool_kinds: {search: raed}}}",
        ["line 2", "tool_kinds", "raed"],
        id="no such kind of tool",
    ),
    pytest.param(
        "evaluators:\n  - {use: tool_error, when: agent = 'x'}", ["line 2", "agent_name"], id="condition on no column"
    ),
    pytest.param(
        "judges:\n  main: {model: m}\nevaluators:\n  - {use: goal_achievement, judge: mian}",
        ["line 4", "'mian'", "'main'"],
        id="no such judge",
    ),
    pytest.param("prices:\n  m: {input_usd_per_milion: 1}", ["line 2", "input_usd_per_million"], id="price without"),
    pytest.param("references: rules.yaml", ["line 1", "references", "rules.yaml", "cannot be read"], id="no rules"),
    pytest.param("references: wrong.yaml", ["wrong.yaml, line 1", "'rules'"], id="misspelt rules"),
    pytest.param("references: where.yaml", ["where.yaml, line 3", "agent_nme"], id="rule on no column"),
    pytest.param("memory_limit: plenty", ["line 1", "memory_limit"], id="no amount of memory"),
    pytest.param("store: duckdb:///nowhere/t.duckdb", ["line 1", "store", "nowhere", "create it"], id="no folder"),
    pytest.param("store: postgres://x", ["line 1", "store", "duckdb:///FILE"], id="no such store"),
    pytest.param("listen: {http: 127.0.0.1:4317}", ["line 1", "listen.http", "listen.grpc"], id="one port twice"),
    pytest.param("listen: {web: 203.0.113.9:8400}", ["line 1", "listen.web", "203.0.113.9"], id="no own address"),
    pytest.param("- a\n- b: [", ["line 2", "not valid YAML or JSON"], id="no YAML"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that configurations name."""
    (tmp_path / "wrong.yaml").write_text("ruls: []\n")
    (tmp_path / "where.yaml").write_text(
        "rules:\n  - name: r\n    when: {where: agent_nme = 'x'}\n    expected_tool_calls: [{name: search}]\n"
    )
    return tmp_path


def check(folder: Path, text: str, *options: str) -> Done:
    (folder / "tracegrade.yaml").write_text(text)
    return inside("check", *options, at=folder)


@pytest.mark.parametrize(("text", "words"), BAD)
def test_what_cannot_be_used_ends_with_2_and_is_told_with_its_line(folder: Path, text: str, words: list[str]) -> None:
    before = set(folder.iterdir())
    done = check(folder, text)
    assert (done.code, done.out) == (2, b""), done
    for word in (*words, "" if "yaml" in words[0] else "tracegrade.yaml"):
        assert word in done.err
    assert set(folder.iterdir()) - before <= {folder / "tracegrade.yaml"}


def test_all_that_is_wrong_with_values_is_told_at_once(folder: Path) -> None:
    done = check(folder, "references: wrong.yaml\nstore: duckdb:///nowhere/t.duckdb\nlisten: {http: 127.0.0.1:4317}")
    assert done.code == 2
    for setting in ("references", "store", "listen.http"):
        assert f": {setting}: " in done.err


def test_good_configuration_is_summed_up_and_nothing_is_made(folder: Path) -> None:
    text = "judges:\n  main: {model: m-1}\nevaluators:\n  - use: defaults\n  - {use: goal_achievement, judge: main}\n"
    done = check(folder, text)
    assert (done.code, done.err) == (0, ""), done
    for word in ("tracegrade.yaml is valid", "tool_error", "goal_achievement", "main (m-1)", "no token"):
        assert word in done.text
    assert "OPENAI_API_KEY" in done.text or "not yet" not in done.text
    assert not list(folder.glob("*.duckdb*"))


def test_defaults_can_be_used_without_a_file(tmp_path: Path) -> None:
    done = inside("check", at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "the defaults is valid" in done.text
    assert list(tmp_path.iterdir()) == []


def test_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = inside("check", "--config", "mine.yaml", at=tmp_path)
    assert done.code == 2
    assert "mine.yaml: file not found" in done.err


def test_value_of_the_environment_is_told_without_a_line(folder: Path) -> None:
    (folder / "tracegrade.yaml").write_text("listen: {web: '127.0.0.1:0'}")
    done = inside("check", at=folder, TRACEGRADE_MEMORY_LIMIT="plenty")
    assert done.code == 2
    assert "memory_limit: " in done.err
    assert "line" not in done.err.partition("memory_limit")[0]


def test_server_refuses_what_check_refuses(folder: Path) -> None:
    (folder / "tracegrade.yaml").write_text("references: where.yaml\n")
    command = [PROGRAM, "serve", *(word for name in ("grpc", "http", "web") for word in (f"--{name}", "127.0.0.1:0"))]
    done = subprocess.run(command, cwd=folder, env=environment({}), capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert b"agent_nme" in done.stderr

"""The gate over recorded runs: its exit codes, its reports, and imports that end with it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.support.command import Done, inside, tracegrade
from tests.support.server import Server

from tracegrade.collector.demo.replay import read_recordings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with recorded runs, in files and evaluated in a store."""
    folder = tmp_path_factory.mktemp("gate")
    for name, request in read_recordings():
        (folder / f"{name.replace('/', '_')}.pb").write_bytes(request)
    files = [path.name for path in sorted(folder.glob("*.pb"))]
    assert inside("import", *files, at=folder).code == 0
    return folder


def gate(folder: Path, *arguments: str) -> Done:
    return inside("gate", *arguments, at=folder)


@pytest.mark.parametrize(
    ("arguments", "code", "ending"),
    [
        (["--min", "run_completion=1"], 0, "passed: 1 passed of 1 check"),
        (["--min", "tool_error=0.5", "--min-pass-rate", "tool_error=0.5"], 0, "passed: 2 passed of 2 checks"),
        (["--min", "tool_error=0.99", "--min", "run_completion=1"], 1, "failed: 1 passed, 1 failed of 2 checks"),
        (["--min", "run_completion=1", "--min-n", "1000"], 3, "not decided: 1 not decided of 1 check"),
        (["--min", "run_completion=1", "--agent", "nobody"], 3, "not decided: 1 not decided of 1 check"),
        (["--min", "run_completon=1"], 3, "not decided: 1 not decided of 1 check"),
        (["--max-drop", "tool_error=1", "--baseline-since", "3650d"], 0, "passed: 1 passed of 1 check"),
        (["--max-drop", "tool_error=1", "--baseline-version", "0"], 3, "not decided: 1 not decided of 1 check"),
    ],
    ids=["passes", "passes twice", "fails", "too few", "none", "misspelt", "no drop", "no baseline"],
)
def test_gate_on_recorded_runs_exits_with_its_result(
    folder: Path, arguments: list[str], code: int, ending: str
) -> None:
    done = gate(folder, *arguments)
    assert (done.code, done.text.splitlines()[-1], done.err) == (code, ending, "")


def test_failed_check_names_the_lowest_runs(folder: Path) -> None:
    done = gate(folder, "--min", "tool_error=0.99")
    (line,) = [line for line in done.text.splitlines() if "4 of 5 calls failed" in line]
    assert line.split()[1] == "0.20"
    misspelt = gate(folder, "--min", "tool_eror=0.5")
    assert "no scores of tool_eror (did you mean 'tool_error'?)" in misspelt.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is nothing to check: name the FILE of a gate, or --min EVALUATOR=VALUE"),
        (["--min", "tool_error"], "'tool_error' is not a limit; write EVALUATOR=VALUE"),
        (["--min", "=0.5"], "'=0.5' names no evaluator; write EVALUATOR=VALUE"),
        (["--min", "tool_error=high"], "'tool_error=high' is not a limit; write EVALUATOR=VALUE"),
        (["--min", "tool_error=95"], "evaluators.tool_error.min_mean: it is 95.0; write 1 or less"),
        (["--max-drop", "tool_error=0.1"], "evaluators.tool_error.max_mean_drop needs a baseline"),
        (["--min", "tool_error=1", "--since", "someday"], "since: 'someday' is not a time"),
        (["absent.yaml"], "absent.yaml cannot be read"),
        (["bad.yaml"], "bad.yaml, line 2: min_m: unknown setting (did you mean 'min_n'?)"),
        (["--min", "tool_error=1", "--junit", "no/such/folder.xml"], "no/such/folder.xml cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_gate_that_is_wrong_is_refused(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "bad.yaml").write_text("evaluators: {tool_error: 1}\nmin_m: 3\n", encoding="utf-8")
    done = gate(folder, *arguments)
    assert done.code == 2
    assert message in done.err


def test_gate_of_a_file_writes_every_report(folder: Path) -> None:
    (folder / "gate.yaml").write_text(
        "min_n: 5\nevaluators:\n  tool_error: 0.99\n  run_completion: {min_pass_rate: 0.5}\n", encoding="utf-8"
    )
    done = gate(folder, "gate.yaml", "--json", "--junit", "gate.xml", "--markdown", "gate.md", "--github")
    assert done.code == 1
    checks = {check["evaluator"]: check["status"] for check in json.loads(done.text)["checks"]}
    assert checks == {"tool_error": "failed", "run_completion": "passed"}
    assert done.err.startswith("::error title=Gate%3A tool_error::mean")
    assert ET.parse(folder / "gate.xml").getroot().get("failures") == "1"
    assert (folder / "gate.md").read_text(encoding="utf-8").startswith("## ❌ Gate failed")


def test_import_ends_with_the_gate_over_its_own_runs(folder: Path, tmp_path: Path) -> None:
    first, *others = [str(path) for path in sorted(folder.glob("*.pb"))]
    (tmp_path / "gate.yaml").write_text("evaluators: {run_completion: 0.5}\n", encoding="utf-8")
    passed = tracegrade("import", first, "--gate", "gate.yaml", "--junit", "gate.xml", at=tmp_path)
    assert (passed.code, passed.text.splitlines()[-1]) == (0, "passed: 1 passed of 1 check"), passed
    assert "gate: 1 imported trace\n" in passed.text
    assert (tmp_path / "gate.xml").exists()
    (tmp_path / "many.yaml").write_text("evaluators: {run_completion: {min_mean: 0, min_n: 50}}\n", encoding="utf-8")
    assert inside("import", *others, "--gate", "many.yaml", at=tmp_path).code == 3
    (tmp_path / "strict.yaml").write_text("evaluators: {tool_error: 0.99}\n", encoding="utf-8")
    assert inside("import", *others, "--gate", "strict.yaml", at=tmp_path).code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gate", "absent.yaml"), "absent.yaml cannot be read"),
        (("--junit", "gate.xml"), "name its FILE with --gate"),
        (("--gate", "gate.yaml", "--no-evaluate"), "--gate needs scores: leave out --no-evaluate"),
    ],
)
def test_import_with_a_wrong_gate_imports_nothing(
    folder: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "gate.yaml").write_text("evaluators: {run_completion: 0.5}\n", encoding="utf-8")
    done = inside("import", str(next(folder.glob("*.pb"))), *arguments, at=tmp_path)
    assert (done.code, message in done.err) == (2, True), done
    assert not (tmp_path / "tracegrade.duckdb").exists()


def test_gate_asks_the_server_that_holds_the_store(server: Server) -> None:
    server.add_run()
    done = inside("gate", "--min", "run_completion=0", "--server", server.web, at=server.store.parent)
    assert (done.code, done.text.splitlines()[-1]) == (0, "passed: 1 passed of 1 check")

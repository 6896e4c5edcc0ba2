"""The path that README.md shows to the first score, and its answers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.support.command import environment, inside
from tests.support.polling import until
from tests.support.server import JUDGES, Server, running

ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
ENDPOINT, PROTOCOL = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL"
EXPORTED: Final = re.compile(r"^ *(?:OTLP/\w+ +)?export (\w+)=(\S+)", re.MULTILINE)
ROW: Final = re.compile(r"^\| \w+ \| `(http://\S+)` \| `(\S+)` \|$", re.MULTILINE)
TOLD: Final = re.compile(rf"{PROTOCOL}=(\S+) +{ENDPOINT}=(\S+)")
WAYS: Final[Mapping[str, dict[str, str]]] = {
    "the exported variables": dict(EXPORTED.findall(README)),
    **{f"the row of {protocol}": {ENDPOINT: url, PROTOCOL: protocol} for url, protocol in ROW.findall(README)},
}
ANSWERED: Final = re.compile(r"```sql\n([^`]*)```\n\n((?:\|[^\n]*\n)+)")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recordings of the demo, evaluated."""
    folder = tmp_path_factory.mktemp("readme")
    done = inside(
        "import", "--store", "s.duckdb", *sorted((ROOT / "collector/demo/recordings").glob("*.pb")), at=folder
    )
    assert done.code == 0, done.err
    return folder / "s.duckdb"


def agrees(shown: str, cell: object) -> bool:
    """Numbers agree however many digits are shown; a text that is shown with an ellipsis, as far as it goes."""
    if isinstance(cell, str):
        return cell.startswith(shown.removesuffix("…")) if shown.endswith("…") else cell == shown
    return cell == float(shown)


@pytest.mark.parametrize(
    ("query", "table"),
    ANSWERED.findall(README),
    ids=["pass rates", "failures", "tools"],
)
def test_answers_of_the_readme_are_those_of_the_demo(store: Path, query: str, table: str) -> None:
    done = inside("sql", "--store", store, "--format", "json", query, at=store.parent)
    assert done.code == 0, done.err
    shown = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.strip().splitlines()[2:]]
    rows = [list(row.values()) for row in json.loads(done.out)]
    assert len(rows) == len(shown)
    for cells, row in zip(shown, rows, strict=True):
        assert len(cells) == len(row)
        assert all(map(agrees, cells, row)), (cells, row)


@pytest.fixture(scope="module")
def fresh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that was started as README.md says, but for its ports."""
    with running(tmp_path_factory.mktemp("path") / "tracegrade.duckdb", variables={}) as server:
        yield server


def ran(server: Server, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """The command of README.md that runs the example agent, with its own ports in place of the usual ones."""
    assert "\nuv run python deploy/example_agent.py" in README
    ports = {"http://127.0.0.1:4317": f"http://{server.grpc}", "http://127.0.0.1:4318": server.otlp}
    exported = {name: ports.get(value, value) for name, value in variables.items()}
    command = [sys.executable, "deploy/example_agent.py"]
    return subprocess.run(
        command, cwd=ROOT, env=environment(exported), capture_output=True, text=True, timeout=60, check=False
    )


def scored(server: Server) -> int:
    """How many runs of the example agent have all default scores."""
    sql = "select count(*) from (select trace_id from latest_scores where agent_name = 'helpdesk' and scope = 'trace'"
    return int(server.one(f"{sql} group by trace_id having count(distinct evaluator) >= {len(JUDGES)})"))


def arrives(server: Server, variables: Mapping[str, str]) -> None:
    """Runs the agent, which has nothing to complain of, and waits for its scores."""
    before = scored(server)
    done = ran(server, variables)
    assert (done.returncode, done.stderr) == (0, "")
    until(lambda: scored(server), lambda count: count == before + 1)


def test_readme_shows_both_protocols() -> None:
    protocols = {variables[PROTOCOL] for variables in WAYS.values()}
    assert (len(WAYS), protocols) == (3, {"grpc", "http/protobuf"})


@pytest.mark.parametrize("way", WAYS)
def test_example_agent_gets_its_scores_by_each_way_of_the_readme(fresh_server: Server, way: str) -> None:
    arrives(fresh_server, WAYS[way])
    shown = inside("tail", "--no-follow", "--store", fresh_server.store, at=fresh_server.store.parent)
    assert "helpdesk" in shown.text


def test_greeting_names_ports_and_protocols_that_agree(fresh_server: Server) -> None:
    greeting = fresh_server.store.with_name("tracegrade.duckdb.out").read_text(encoding="utf-8")
    named = EXPORTED.findall(greeting)
    assert [name for name, _ in named] == [ENDPOINT, PROTOCOL] * 2
    for pair in (named[:2], named[2:]):
        arrives(fresh_server, dict(pair))


def test_doctor_names_ports_and_protocols_that_agree(fresh_server: Server) -> None:
    told = inside("doctor", "--store", fresh_server.store, at=fresh_server.store.parent)
    assert (told.code, told.err) == (0, "")
    assert ": ready\n" in told.text
    pairs = TOLD.findall(told.text)
    assert len(pairs) == 2
    for protocol, url in pairs:
        arrives(fresh_server, {ENDPOINT: url, PROTOCOL: protocol})


def test_doctor_says_that_no_server_answers_and_where_one_would_receive(tmp_path: Path) -> None:
    (tmp_path / "tracegrade.yaml").write_text("listen: {grpc: 127.0.0.1:14317}")
    told = inside("doctor", at=tmp_path)
    assert told.code == 4
    assert "no server is running" in told.text
    assert TOLD.findall(told.text) == [
        ("grpc", "http://127.0.0.1:14317"),
        ("http/protobuf", "http://127.0.0.1:4318"),
    ]

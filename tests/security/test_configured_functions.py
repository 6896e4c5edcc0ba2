"""What comes over the network names no code, program, file or address: nothing of it is imported, opened, started or
connected to, in the server, its workers, or the processes of queries."""

from __future__ import annotations

import asyncio
import json
import os
import select
import socket
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import BaseModel, ImportString
from tests.support import agent_spans
from tests.support.command import PROGRAM, environment
from tests.support.page_client import PageClient
from tests.support.run_batches import make_batch
from tests.support.server import HURRIED, Server, start, started
from tests.support.store import opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.config.settings import Settings
from tracegrade.collector.preview.draft import build_draft
from tracegrade.collector.preview.entry import read_entry
from tracegrade.collector.web.routes import ENDPOINTS
from tracegrade.collector.worker.client import Workbench
from tracegrade.evaluators.catalog.configure import catalogue
from tracegrade.evaluators.definition.function_path import CONFIGURATION_ONLY, ConfiguredFunction
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.http.openapi import make_document

WORD = "zqplanted"
EVENTS = frozenset(
    {"import", "open", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "socket.connect"}
)
SPY = f"""
import os, sys
log = os.open(os.environ["SPY_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
words = ["{WORD}", "operators_own", os.environ["SPY_PORT"]]
def spy(event, arguments):
    seen = repr(arguments[:1] if event == "import" else arguments) if event in {set(EVENTS)!r} else ""
    if any(word in seen for word in words):
        os.write(log, f"{{os.getpid()}} {{event}} {{seen}}\\n".encode())
sys.addaudithook(spy)
os.write(log, f"{{os.getpid()}} began {{sys.orig_argv}}\\n".encode())
"""
OWN = """
evaluators:
  - use: defaults
  - {use: tool_error, name: own, options: {predicate: "operators_own:failed"}}
"""


@dataclass(frozen=True)
class Planted:
    """A module that leaves a mark, a file, a program, and a port: what an attacker names. `log` is of the spies."""

    folder: Path
    listener: socket.socket

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def log(self) -> str:
        return (self.folder / "spy.log").read_text(encoding="utf-8")

    @property
    def variables(self) -> dict[str, str]:
        """The environment of processes that are spied on."""
        path = os.pathsep.join(filter(None, [str(self.folder), os.environ.get("PYTHONPATH")]))
        return {"PYTHONPATH": path, "SPY_LOG": str(self.folder / "spy.log"), "SPY_PORT": str(self.port)}

    def values(self) -> list[Any]:
        file = self.folder / WORD
        return [
            f"{WORD}:run",
            f"{file}.py:run",
            f"{file}.sql",
            f"http://127.0.0.1:{self.port}/{WORD}",
            [sys.executable, f"{file}.py"],
        ]

    def check_untouched(self) -> None:
        """Asserts that nobody used what is planted."""
        assert not (self.folder / "ran").exists()
        assert [line for line in self.log.splitlines() if WORD in line or f", {self.port})" in line] == []
        assert select.select([self.listener], [], [], 0)[0] == []


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Planted]:
    (tmp_path / "sitecustomize.py").write_text(SPY, encoding="utf-8")
    (tmp_path / f"{WORD}.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w')\ndef run(*given): return True\n", encoding="utf-8"
    )
    (tmp_path / f"{WORD}.sql").write_text("select 'content of the file' as explanation", encoding="utf-8")
    (tmp_path / "operators_own.py").write_text("def failed(text): return 'boom' in text\n", encoding="utf-8")
    (tmp_path / "tracegrade.yaml").write_text(OWN, encoding="utf-8")
    (tmp_path / "spy.log").touch()
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield Planted(tmp_path, listener)


def models_in(type_: Any) -> Iterator[type[BaseModel]]:
    if isinstance(type_, type) and issubclass(type_, BaseModel):
        yield type_
    for part in typing.get_args(type_):
        yield from models_in(part)


def names_function(field: Any) -> bool:
    marker: Any = ConfiguredFunction

    def walk(type_: Any) -> bool:
        return isinstance(type_, marker) or any(
            walk(part) for part in (*typing.get_args(type_), *getattr(type_, "__metadata__", ()))
        )

    return any(isinstance(each, marker) for each in field.metadata) or walk(field.annotation)


def shape(model: type[BaseModel], value: Any, *, depth: int = 0) -> Iterator[tuple[dict[str, Any], Any]]:
    """Options with the value at each place where one may stand, and the field that gets it."""
    for name, field in model.model_fields.items():
        key = field.alias or name
        for put in (value, [value], {"search": value}):
            yield {key: put}, field
        for below in models_in(field.annotation) if depth < 2 else ():
            for inner, inner_field in shape(below, value, depth=depth + 1):
                for put in (inner, [inner], {"search": inner}):
                    yield {key: put}, inner_field


SEEN: list[tuple[str, str]] = []
WATCHED: list[str] = []


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if WATCHED and event in EVENTS:
        seen = repr(arguments[:1] if event == "import" else arguments)
        SEEN.extend((event, seen) for word in WATCHED if word in seen)


sys.addaudithook(watch)


def build_all(planted: Planted) -> tuple[list[Configured], set[str], set[str]]:
    """Every entry that is accepted, the options that hold functions, and those that were refused as such."""
    accepted: list[Configured] = []
    holding: set[str] = set()
    refused: set[str] = set()
    for name, definition in catalogue().items():
        example = dict(definition.factory.example)
        for value in planted.values():
            for options, field in shape(definition.factory, value):
                entry = {"use": name, "name": f"n{len(accepted)}", "options": {**example, **options}}
                holding |= {f"{name}.{next(iter(options))}"} if names_function(field) else set()
                try:
                    accepted.append(build_draft(read_entry(json.dumps(entry)), SETTINGS).evaluator)
                except BadConfiguration as error:
                    if CONFIGURATION_ONLY in str(error):
                        assert f"'{next(iter(options))}" in str(error)
                        refused.add(f"{name}.{next(iter(options))}")
    return accepted, holding, refused


SETTINGS = Settings(judges={"default": {"model": "gpt-4.1-mini"}})


def begin_dialogues(evaluators: Sequence[Configured], run: Any) -> None:
    for evaluator in evaluators:
        ask: Callable[[Any], Iterator[Any]] | None = getattr(evaluator.function, "ask", None)
        if evaluator.kind == "llm" and evaluator.scope == "trace" and ask is not None:
            next(iter(ask(run)), None)


def test_no_option_of_any_evaluator_uses_what_it_names(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in planted.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(planted.folder)
    monkeypatch.syspath_prepend(str(planted.folder))
    catalogue()
    (run,) = assemble(agent_spans.trip(1))
    SEEN.clear()
    WATCHED[:] = [WORD, f", {planted.port})"]
    try:
        accepted, holding, refused = build_all(planted)
        begin_dialogues(accepted, run)
    finally:
        WATCHED.clear()
    assert SEEN == []
    assert refused == holding
    assert {"tool_error.predicate", "dokimos:tool_error.error_detector", "gl:agent.generation"} <= refused
    checks = [each for each in accepted if each.kind == "code" and each.scope in {"trace", "tool_call"}]
    assert len(checks) > 50
    with opened(planted.folder) as store, closing(Workbench(store.results.schemas, memory_bytes=2**31)) as workbench:
        scores = workbench.evaluate(make_batch([run]), checks)
    assert {score.evaluator for score in scores} == {each.name for each in checks}
    assert "tracegrade.collector.worker" in planted.log
    planted.check_untouched()


def test_no_option_imports_by_itself() -> None:
    importing: Any = ImportString
    for definition in catalogue().values():
        for _, field in shape(definition.factory, ""):
            assert not any(each is importing or isinstance(each, importing) for each in field.metadata)
            assert "ImportString" not in repr(field.annotation)


def replace_texts(body: Any, value: Any) -> Iterator[Any]:
    """The body with the value in place of each text, one at a time."""
    if isinstance(body, str):
        yield value
    for key, child in body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ():
        for replaced in replace_texts(child, value):
            copy: Any = dict(body) if isinstance(body, dict) else list(body)
            copy[key] = replaced
            yield copy


def requests(planted: Planted) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Requests to every endpoint, with what is planted at each place of URL and body."""
    document = json.loads(json.dumps(make_document(ENDPOINTS, version="1"), default=str))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            names = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"]
            for text in planted.values()[1:4] if "snapshot" not in path else ():
                url = path.replace("{name}", quote(text, safe="")).replace("{id}", quote(text, safe=""))
                url = url.replace("{score_id}", quote(text, safe=""))
                if method != "post":
                    yield method, url, {}
                    yield from ((method, url, {"params": {name: text}}) for name in names)
                    yield from (
                        (method, url, {"params": {"q": f"sql:{call}"}}) for call in sql(text)[:1] if "q" in names
                    )
                    continue
                yield from ((method, url, {"json": replaced}) for replaced in replace_texts(body, text))
                yield method, url, {"json": {**body, "python": text, "custom": text}}
    for value in planted.values():
        call = {"name": "a", "args": {}, "matcher": {"custom": value}}
        for expected in (call, {**call, "matcher": value}, {**call, "args_match": value}, {**call, "custom": value}):
            item = {"input": "x", "expected_tool_calls": [expected], "metadata": {"custom": value}}
            yield "post", "/api/v1/datasets", {"json": {"dataset": "d", "items": [item]}}
        if isinstance(value, str):
            yield from (("post", "/api/v1/sql", {"json": {"sql": f"select {call}"}}) for call in sql(value))
            yield "post", "/api/v1/sql", {"json": {"sql": f"from '{value}'"}}


def sql(text: str) -> list[str]:
    return [f"exists (from {function}('{text}'))" for function in ("read_text", "read_csv", "glob", "read_json")]


def entries(planted: Planted) -> Iterator[Any]:
    """Entries and parts of entries that name what is planted."""
    for value in planted.values():
        yield from ({key: value, "name": "x"} for key in ("use", "python", "sql", "command", "rubric", "combine"))
        yield {"combine": {"of": ["a"], "members": {"a": {"python": value}}}, "name": "x"}
        for use, option in FUNCTIONS.items():
            yield {"use": use, "options": option(value)}
        yield {"criteria": value, "python": value}
    for key in ("when", "judge", "scope", "threshold", "schedule", "after"):
        yield {"use": "tool_error", key: f"{WORD}:run"}


FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "tool_error": lambda value: {"predicate": value},
    "dokimos:tool_error": lambda value: {"error_detector": value},
    "gl:agent": lambda value: {"generation": value},
    "tool_trajectory": lambda value: {"argument_matcher": {"custom": value}},
    "tool_correctness": lambda value: {"argument_matchers": {"search": {"custom": value}}},
    "dokimos:tool_trajectory": lambda value: {"argument_matcher": {"custom": value}},
    "langchain:trajectory_match": lambda value: {"tool_args_match_overrides": {"search": value}},
}


def ask_tools(folder: Path, planted: Planted) -> int:
    """Calls each tool of the MCP server with what is planted in each argument; returns the number of calls."""
    started = StdioServerParameters(
        command=PROGRAM, args=["mcp", "--store", "s.duckdb"], cwd=folder, env=environment(planted.variables)
    )

    async def call() -> int:
        count = 0
        async with Client(stdio_client(started)) as client:
            for tool in (await client.list_tools()).tools:
                for name in tool.input_schema.get("properties", {}):
                    for value in planted.values()[1:3]:
                        await client.call_tool(tool.name, {name: value})
                        count += 1
        return count

    return asyncio.run(call())


@contextmanager
def serve_spied(planted: Planted) -> Iterator[Server]:
    """A server with spies; it may take its time, since each import is looked at."""
    process = start(planted.folder / "s.duckdb", {**HURRIED, **planted.variables})
    try:
        server = started(process, planted.folder / "s.duckdb", within_s=90)
        yield server
        server.stop()
    finally:
        process.kill()
        process.wait()


@pytest.mark.timeout(400)
@pytest.mark.nightly
def test_no_request_names_code_files_or_addresses(planted: Planted) -> None:
    answers: list[tuple[int, str]] = []
    with serve_spied(planted) as server:
        server.add_run()
        with PageClient(server.web) as pages, httpx.Client(base_url=server.web, trust_env=False, timeout=60) as client:
            token = pages.read_form_token("/preview")
            for entry in entries(planted):
                sent = {"form_token": token, "entry": json.dumps(entry), "past": "4000d", "limit": "5"}
                answer = pages.post("/preview", data=sent, timeout=90)
                answers.append((answer.status_code, answer.text))
                if "options" in entry and isinstance(next(iter(entry["options"].values())), str):
                    assert answer.status_code == 400
                    assert f"'{next(iter(entry['options']))}' of {entry['use']}" in answer.text.replace("&#39;", "'")
            for method, url, content in requests(planted):
                answer = client.request(method.upper(), url, **content)
                answers.append((answer.status_code, answer.text))
            for url in ("/runs", "/labelling", "/reports", "/evaluators", "/datasets", "/experiments"):
                for value in planted.values()[1:3]:
                    pages.get(url, params={"q": value, "evaluator": value, "example": value, "sql": value})
        assert ask_tools(planted.folder, planted) > 4
        server.add_run()
    assert [text for _, text in answers if "content of the file" in text] == []
    assert {status for status, _ in answers} <= {200, 201, 204, 303, 400, 404, 405, 409, 413, 422}
    planted.check_untouched()
    watched = {line.split()[0] for line in planted.log.splitlines() if "operators_own" in line and " open " in line}
    assert len(watched) >= 2, "the spies did not see that the operator's function was imported, in server and worker"

"""The OpenAPI document: it is valid, it names every endpoint, and the server answers as it says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import hypothesis
import orjson
import pytest
import schemathesis
from openapi_spec_validator import validate
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance
from tests.support.experiments import make_start
from tests.support.serving import FREE_PORTS, serve_store
from tests.support.store import opened

from tracegrade.collector.config.settings import load
from tracegrade.collector.web.routes import ENDPOINTS
from tracegrade.queries.http.endpoint import Endpoint
from tracegrade.queries.http.openapi import make_document

FEW = hypothesis.settings(
    max_examples=3, deadline=None, derandomize=True, suppress_health_check=[*hypothesis.HealthCheck], database=None
)
PAGE = "https://dashboards.example.com"
UNTRIED = {"/api/v1/snapshot"}
"""It answers with the file of the store."""

DOCUMENT = orjson.loads(orjson.dumps(make_document(ENDPOINTS, version="1")))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
TRIED = [each for each in ENDPOINTS if each.template not in UNTRIED]
TAKING = [each for each in TRIED if each.query or each.method == "POST"]
"""Those to which something wrong can be sent."""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("store")
    with opened(folder) as store:
        store.add_runs(1, 2, session="s")
    settings = load(store=str(folder / "store.duckdb"), listen={**FREE_PORTS, "allowed_origins": [PAGE]})
    with serve_store(settings) as url:
        yield url


def test_document_is_valid_and_names_every_endpoint(api: str) -> None:
    document = httpx.get(f"{api}/api/v1/openapi.json").json()
    validate(document)
    named = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert named == {(each.method, each.template) for each in ENDPOINTS}
    operations = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(operations)) == len(operations)
    assert "204" in document["paths"]["/api/v1/annotations/{score_id}"]["delete"]["responses"]


def test_page_of_an_allowed_origin_may_call_the_server(api: str) -> None:
    preflight = {"origin": PAGE, "access-control-request-method": "POST"}
    assert httpx.options(f"{api}/api/v1/sql", headers=preflight).headers["access-control-allow-origin"] == PAGE
    assert httpx.get(f"{api}/api/v1/nowhere").headers["content-type"] == "application/problem+json"


def call(each: Endpoint[Any], api: str, mode: GenerationMode) -> None:
    """Sends a few requests to an endpoint; raises if an answer is not as the document says."""
    operation = SCHEMA[each.template][each.method]

    @FEW
    @hypothesis.given(case=operation.as_strategy(mode))
    def send(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(base_url=api, excluded_checks=[positive_data_acceptance])

    send()


@pytest.mark.exhaustive
@pytest.mark.parametrize("each", TRIED, ids=lambda each: f"{each.method} {each.path}")
def test_server_answers_as_the_document_says(api: str, each: Endpoint[Any]) -> None:
    call(each, api, GenerationMode.POSITIVE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("each", TAKING, ids=lambda each: f"{each.method} {each.path}")
def test_server_refuses_what_the_document_does_not_allow(api: str, each: Endpoint[Any]) -> None:
    call(each, api, GenerationMode.NEGATIVE)


@pytest.mark.parametrize("path", ["evaluators/tool_error/pause", "experiments/0/runs"])
def test_refused_method_lists_those_of_its_endpoint(api: str, path: str) -> None:
    answer = httpx.options(f"{api}/api/v1/{path}")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_server_answers_as_the_document_says_to_many_requests(api: str) -> None:
    # SQL that fits the schema may still be wrong, so that what fits is not always accepted
    options = ["--exclude-checks", "positive_data_acceptance", "--exclude-path", *UNTRIED, "--no-color"]
    limits = ["--phases", "examples,coverage,fuzzing", "--max-examples", "40"]
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"{api}/api/v1/openapi.json", *options, *limits],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "id_", "query"),
    [
        pytest.param("/api/v1/runs", "", {"q": "tool:search sql:true", "count": "true", "limit": "1"}, id="runs"),
        pytest.param("/api/v1/runs/{id}", f"{1:032x}", {}, id="run"),
        pytest.param("/api/v1/sessions", "", {}, id="sessions"),
        pytest.param("/api/v1/sessions/{id}", "s", {}, id="session"),
        pytest.param("/api/v1/scores", "", {"q": "agent:travel"}, id="scores"),
    ],
)
def test_answer_about_runs_fits_the_document(api: str, path: str, id_: str, query: dict[str, str]) -> None:
    answer = httpx.get(f"{api}{path.format(id=id_)}", params=query, timeout=30)
    assert answer.status_code == 200
    SCHEMA[path]["GET"].validate_response(answer)


@pytest.mark.parametrize(
    ("path", "name", "query"),
    [
        pytest.param("/api/v1/evaluators/{name}", "tool_error", {"since": "2000-01-01"}, id="evaluator"),
        pytest.param("/api/v1/evaluators", "", {"since": "2000-01-01"}, id="evaluators"),
        pytest.param("/api/v1/tools/{name}", "search", {"since": "2000-01-01"}, id="tool"),
        pytest.param("/api/v1/tools", "", {"since": "2000-01-01"}, id="tools"),
        pytest.param("/api/v1/reports/{name}", "failed", {"since": "2000-01-01"}, id="report"),
        pytest.param("/api/v1/reports/{name}", "failed", {"format": "json"}, id="report as objects"),
        pytest.param("/api/v1/datasets/{name}", "trips", {}, id="dataset"),
        pytest.param("/api/v1/experiments/{id}", "", {}, id="experiment"),
    ],
)
def test_answer_about_what_is_stored_fits_the_document(api: str, path: str, name: str, query: dict[str, str]) -> None:
    item = {"id": "1", "input": "I want to fly", "expected_tool_calls": ["search"]}
    httpx.post(f"{api}/api/v1/datasets", json={"dataset": "trips", "items": [item]})
    start = make_start("trips").model_dump(mode="json")
    experiment_id = httpx.post(f"{api}/api/v1/experiments", json=start).json()["experiment_id"]
    failed = {"item": item, "position": 0, "status": "error", "cause": "TimeoutError"}
    httpx.post(f"{api}/api/v1/experiments/{experiment_id}/runs", json={"runs": [failed]})
    answer = httpx.get(f"{api}{path.format(name=name, id=experiment_id)}", params=query, timeout=30)
    assert answer.status_code == 200
    SCHEMA[path]["GET"].validate_response(answer)

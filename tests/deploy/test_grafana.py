"""The dashboard of Grafana asks a server for what it has, and shows columns that exist."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from tests.support import agent_spans
from tests.support.api_server import serving
from tests.support.store import opened

FOLDER = Path(__file__).parents[2] / "deploy/grafana"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboards/tracegrade.json").read_text(encoding="utf-8"))
(SOURCE,) = yaml.safe_load((FOLDER / "provisioning/datasources/tracegrade.yaml").read_text(encoding="utf-8"))[
    "datasources"
]
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
TOKEN = "of Grafana"
VALUES = {
    "__from:date:iso": "2026-01-01T00:00:00.000Z",
    "__to:date:iso": "2026-02-01T00:00:00.000Z",
    **{variable["name"]: variable["current"]["value"] for variable in DASHBOARD["templating"]["list"]},
}
"""What Grafana puts in place of the variables when nobody has chosen anything."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("grafana")
    with opened(folder) as store:
        store.arrive(
            [
                *agent_spans.trip(),
                agent_spans.agent(1, trace=2, status_code="error", status_message="out of time"),
                agent_spans.tool(2, trace=2, parent=1, status_code="error", status_message="HTTP 429"),
            ]
        )
        store.revise(1, 2)
    with serving(folder, token=TOKEN) as address:
        yield address


def fill(text: str) -> str:
    return re.sub(r"\$\{([^}]+)\}", lambda match: VALUES[match[1]], text)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_panel_asks_for_what_the_server_has_and_shows_its_columns(panel: dict[str, Any], url: str) -> None:
    (target,) = panel["targets"]
    parameters = {each["key"]: fill(each["value"]) for each in target["url_options"]["params"]}
    headers = {"authorization": f"Bearer {TOKEN}"}
    asked = f"{url}{target['url']}"
    answer = httpx.get(asked, params=parameters, headers=headers, trust_env=False)
    assert answer.status_code == 200, answer.text
    assert isinstance(answer.json(), list)
    csv = httpx.get(asked, params={**parameters, "format": "csv"}, headers=headers, trust_env=False)
    columns = csv.text.partition("\n")[0].split(",")
    assert {column["selector"] for column in target["columns"]} - {*columns} == set()
    assert all(row.keys() <= {*columns} for row in answer.json())


def test_panels_of_runs_are_not_empty(url: str) -> None:
    headers = {"authorization": f"Bearer {TOKEN}"}
    period = {"since": "2026-01-01", "until": "2026-02-01"}
    answer = httpx.get(f"{url}/api/v1/reports/failed", params=period, headers=headers, trust_env=False)
    assert "HTTP 429" in answer.text


def test_dashboard_names_the_data_source_that_is_provisioned() -> None:
    used = [place["datasource"] for panel in PANELS for place in (panel, *panel["targets"])]
    assert {(each["uid"], each["type"]) for each in used} == {(SOURCE["uid"], SOURCE["type"])}
    assert SOURCE["jsonData"]["allowedHosts"] == [SOURCE["url"]]  # without which Infinity sends no token


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for place in (panel["gridPos"] for panel in PANELS):
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells

"""The options of `tracegrade demo --history`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracegrade.collector.cli.demo import demo
from tracegrade.collector.cli.demo_history import load_history_settings, make_history
from tracegrade.collector.errors import Fault


@pytest.mark.parametrize(
    "text", [pytest.param("28d", id="days"), pytest.param("7d", id="least"), pytest.param(" 90 d", id="most")]
)
def test_history_takes_from_a_week_to_three_months(text: str) -> None:
    assert make_history(text, None).days == int(text.strip(" d"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("6d", id="too few"),
        pytest.param("91d", id="too many"),
        pytest.param("28", id="no unit"),
        pytest.param("4w", id="another unit"),
        pytest.param("", id="empty"),
    ],
)
def test_another_history_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(Fault, match="7d to 90d, such as 28d") as refused:
        make_history(text, None)
    assert refused.value.exit_code == 2


def test_seed_is_that_of_the_option() -> None:
    assert make_history("7d", 5).runs != make_history("7d", None).runs
    assert make_history("7d", 0).seed == 0


def test_existing_store_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    path.write_bytes(b"mine")
    with pytest.raises(Fault, match="exists; name a new one"):
        demo(once=True, history="7d", seed=None, store=str(path))
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize("options", [{"seed": 1, "store": None}, {"seed": None, "store": "s.duckdb"}])
def test_seed_and_store_without_a_history_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(Fault, match="add --history"):
        demo(once=True, history=None, **options)  # type: ignore[arg-type]


def test_scores_of_the_history_are_sent_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tracegrade.yaml").write_text("export: {endpoint: 'http://example.com:4318', judges: true}")
    settings = load_history_settings(str(tmp_path / "history.duckdb"))
    assert (settings.export.endpoint, settings.export.judges) == (None, True)

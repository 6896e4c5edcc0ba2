"""The pytest plugin: captures the runs of agents in tests, and runs a test for each item of a dataset.

It is loaded by every pytest beside which Tracegrade is installed, so it imports nothing of ours until a test needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from ..capture import Capture

__all__ = ["agent_capture", "pytest_addoption", "pytest_configure", "pytest_generate_tests"]

_MARKER: Final = "tracegrade_dataset"
_ARGUMENT: Final = "item"
_OF_THE_SERVER: Final = ("duckdb", "pyarrow", "pydantic_settings", "starlette", "structlog")
"""Packages of the extra `server` without which no store can be opened."""


@pytest.fixture
def agent_capture() -> Iterator[Capture]:
    """Capture the runs of the agents that the test runs: `agent_capture.run`, or all in `agent_capture.runs`."""
    from ..capture import capture  # noqa: PLC0415 - see above

    with capture() as captured:
        yield captured


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("tracegrade")
    group.addoption(
        "--tracegrade-store",
        nargs="?",
        const="",
        metavar="STORE",
        help="keep the runs of agents in tests, with their scores, as an experiment in this store (URL or file; "
        "default: that of tracegrade.yaml); needs tracegrade[server]",
    )
    group.addoption(
        "--tracegrade-experiment",
        metavar="NAME",
        help="name of that experiment; default: pytest and the name of the root folder",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and keep the runs of tests if that is asked for."""
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(file, split=None, tags=()): run the test for each {_ARGUMENT} of a dataset, from a file beside it",
    )

    store, name = config.getoption("--tracegrade-store"), config.getoption("--tracegrade-experiment")
    if store is not None:
        _keep_runs(config, store, name)
    elif name is not None:
        raise pytest.UsageError("--tracegrade-experiment names the experiment of --tracegrade-store: give both")


def _keep_runs(config: pytest.Config, store: str, name: str | None) -> None:
    """Record what tests do, and keep it at the end: with pytest-xdist, its workers record and the controller keeps."""
    missing = [package for package in _OF_THE_SERVER if find_spec(package) is None]
    if missing:
        raise pytest.UsageError(f"--tracegrade-store needs `pip install 'tracegrade[server]'`: no {', '.join(missing)}")
    from .recorder import Recorder  # noqa: PLC0415 - see above

    config.pluginmanager.register(Recorder(), "tracegrade recorder")
    if not hasattr(config, "workerinput"):
        from .keeper import make_keeper  # noqa: PLC0415 - see above

        config.pluginmanager.register(make_keeper(store, name, config.rootpath), "tracegrade keeper")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests that are marked with a dataset."""
    marker = metafunc.definition.get_closest_marker(_MARKER)
    if marker is None:
        return
    from .dataset_marker import BadMarker, choose_items  # noqa: PLC0415 - see above

    own = [mark for mark in metafunc.definition.own_markers if mark.name == _MARKER]
    if len(own) > 1:
        raise BadMarker(f"{metafunc.definition.nodeid} is marked with {_MARKER} twice: keep one")
    if _ARGUMENT in metafunc.fixturenames:
        items = choose_items(marker, metafunc.definition.path.parent)
        metafunc.parametrize(_ARGUMENT, items, ids=[item.id for item in items])
    elif own:
        raise BadMarker(f"{metafunc.definition.nodeid} is marked with {_MARKER}, but has no argument `{_ARGUMENT}`")

"""The pytest plugin: captures the runs of agents in tests, and runs a test for each item of a dataset.

It is loaded by every pytest beside which Tracegrade is installed, so it imports nothing of ours until a test needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from ..capture import Capture

__all__ = ["agent_capture", "pytest_configure", "pytest_generate_tests"]

_MARKER: Final = "tracegrade_dataset"
_ARGUMENT: Final = "item"


@pytest.fixture
def agent_capture() -> Iterator[Capture]:
    """Capture the runs of the agents that the test runs: `agent_capture.run`, or all in `agent_capture.runs`."""
    from ..capture import capture  # noqa: PLC0415 - see above

    with capture() as captured:
        yield captured


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(file, split=None, tags=()): run the test for each {_ARGUMENT} of a dataset, from a file beside it",
    )


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

from __future__ import annotations

import pytest
from tests.fidelity.__main__ import main


def test_everything_that_the_wire_of_our_recordings_carries_comes_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0, capsys.readouterr().out

"""Keeps what tests did as an experiment in a store, at the end of the session."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from pydantic import ValidationError

from tracegrade.evaluators.text.messages import counted, shortened
from tracegrade.evaluators.text.validation_errors import explain
from tracegrade.queries.ports import EvaluatorForm, ExperimentStart

from ..client.settings import load_settings
from ..client.source import open_source
from ..config.configuration_file import BadConfiguration
from ..config.settings import Settings
from ..errors import Fault
from ..experiments.evaluated_runs import EvaluatedRun, keep_experiment
from ..experiments.store import open_experiment_store
from ..store.engines.selection import locate
from ..system.user_name import read_user_name
from .arrangement import arrange_runs
from .observed_test import ObservedTest
from .recorder import FAULT, OBSERVED

__all__ = ["SessionKeeper", "make_keeper"]

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9._ -]+")
_LONGEST_NAME: Final = 100
_NO_STORE: Final = re.compile(r"\.py(::.*)?$")
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class _Kept:
    """The result of keeping: what was kept, or why nothing was (`is_fault` if that is an error)."""

    text: str
    is_fault: bool = False


class SessionKeeper:
    """A plugin of the process that reports on all tests."""

    def __init__(self, settings: Settings, name: str) -> None:
        self._settings = settings
        self._name = name
        self._tests: list[ObservedTest] = []
        self._faults: list[str] = []
        self._kept: _Kept | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the observed test of a report, from this process or another."""
        if (text := getattr(report, OBSERVED, None)) is not None:
            self._tests.append(ObservedTest.model_validate_json(text))
        if (fault := getattr(report, FAULT, None)) is not None:
            self._faults.append(fault)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep the experiment. If that fails, the session fails, too."""
        self._kept = self._keep()
        if (self._kept.is_fault or self._faults) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was kept, and where."""
        terminalreporter.section("tracegrade")
        for fault in self._faults:
            terminalreporter.line(f"not kept: {shortened(' '.join(fault.split()), _LONGEST)}")
        if self._kept is not None:
            terminalreporter.line(self._kept.text)

    def _keep(self) -> _Kept:
        if not self._tests:
            return _Kept("nothing is kept: no test used agent_capture or assert_scores")
        if not any(run.scores for test in self._tests for run in test.runs):
            return _Kept("nothing is kept: no test asserted scores with assert_scores")
        try:
            runs = arrange_runs(self._tests)
            experiment_id = asyncio.run(self._keep_runs(runs))
        except Exception as error:  # noqa: BLE001 - whatever it is, the results of the tests are shown
            name = "" if isinstance(error, Fault) else f"{type(error).__name__}: "
            return _Kept(f"{counted(len(self._tests), 'test')} could not be kept: {name}{error}", is_fault=True)
        kept = f"{counted(len(runs), 'run')} of {counted(len(self._tests), 'test')}"
        return _Kept(f"kept {kept} as experiment {self._name!r} ({experiment_id[:8]}) in {self._settings.store}")

    async def _keep_runs(self, runs: list[EvaluatedRun]) -> str:
        async with open_experiment_store(self._settings) as store:
            return await keep_experiment(store, self._name, runs, task="pytest", author=read_user_name())


def make_keeper(store: str, name: str | None, rootpath: Path) -> SessionKeeper:
    """Make the plugin for these options; `store` is empty for that of the configuration.

    Raises UsageError if the store cannot be used, before any test runs.
    """
    if store and (_NO_STORE.search(store) or Path(store).is_dir()):
        raise pytest.UsageError(
            f"--tracegrade-store={store} is not a store: write --tracegrade-store=STORE, or put the option last"
        )
    name = _make_name(rootpath) if name is None else name
    try:
        _check_name(name)
        settings = load_settings(None, store=store or None)
        if locate(settings.store).exists():
            with open_source(settings):
                pass
    except (BadConfiguration, Fault) as error:
        raise pytest.UsageError(f"--tracegrade-store: {error}") from error
    return SessionKeeper(settings, name)


def _make_name(rootpath: Path) -> str:
    return f"pytest {_NOT_IN_A_NAME.sub('-', rootpath.name)}"[:_LONGEST_NAME].strip()


def _check_name(name: str) -> None:
    """Raise UsageError if no experiment can have the name."""
    form = EvaluatorForm(name="any", version=0, config_hash="")
    try:
        ExperimentStart(name=name, items=1, evaluators=(form,), task="pytest", plan_hash="any")
    except ValidationError as error:
        raise pytest.UsageError(f"--tracegrade-experiment: {explain(error, ExperimentStart)}") from error

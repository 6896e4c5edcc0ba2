"""`tracegrade demo --history`: fills a store with recorded runs of several weeks."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

from tracegrade.evaluators.text.messages import counted

from ..client.settings import load_settings
from ..clock import utc_now
from ..config.settings import Settings
from ..demo.agents import FAULTY_AGENT, FAULTY_TOOL, FAULTY_VERSION
from ..demo.history import LEAST_DAYS, MOST_DAYS, History
from ..demo.judge import EVALUATORS, JUDGES
from ..demo.kept_trials import begin_trials, end_trials
from ..demo.labels import label_runs
from ..errors import Fault
from ..otlp.signal import Signal
from ..server.bound_reader import bind
from ..server.pipeline import Pipeline
from ..store.engines.readers import InProcess
from ..store.results.dating import date_scores
from .console import console
from .importing import without_waiting

__all__ = ["fill_store", "load_history_settings", "make_history", "print_history", "refuse_existing"]

_USAGE: Final = 2
_SEED: Final = 1
_TIMEOUT_S: Final = 60.0


def make_history(text: str, seed: int | None) -> History:
    """Return the history of `--history`, which ends now. Raises Fault if the text does not name so many days."""
    match = re.fullmatch(r"\s*([0-9]{1,4})\s*d\s*", text)
    if match is None or not LEAST_DAYS <= int(match[1]) <= MOST_DAYS:
        raise Fault(
            f"--history {text!r}: write it in days, {LEAST_DAYS}d to {MOST_DAYS}d, such as 28d", exit_code=_USAGE
        )
    return History.until(utc_now(), days=int(match[1]), seed=_SEED if seed is None else seed)


def refuse_existing(store: str) -> None:
    """Raise Fault if the store exists: the history would be mixed with other runs."""
    if Path(store).exists():
        raise Fault(
            f"--store {store}: the file exists; name a new one, which the history is written to", exit_code=_USAGE
        )


def load_history_settings(store: str, **options: Any) -> Settings:
    """Load settings with the evaluators and the scripted judge of the history, whose scores are sent nowhere."""
    about = {"evaluators": EVALUATORS, "judges": JUDGES, "export": {"endpoint": None}}
    return load_settings(None, store=store, **about, **options)


async def fill_store(settings: Settings, history: History) -> None:
    """Store the runs of the history with their scores, annotations of people and experiments, in an empty store."""
    pipeline = Pipeline(without_waiting(settings))
    try:
        pipeline.start()
        for request in history.requests():
            await pipeline.queue.accept(Signal.TRACES, request)
        trials = begin_trials(history, pipeline.results, pipeline.evaluators)
        for trial in trials:
            await pipeline.queue.accept(Signal.TRACES, trial.request)
        await pipeline.finish()
        pipeline.annotations.write(label_runs(history))
        date_scores(pipeline.results)
        read = bind(InProcess(pipeline.database.connect), timeout_s=_TIMEOUT_S)
        end_trials(history, trials, pipeline.results, pipeline.evaluators, read)
        pipeline.hours.renew_all()
    finally:
        await pipeline.close()


def print_history(history: History, store: str) -> None:
    """Print what the history consists of."""
    runs = Counter((run.agent.name, run.version) for run in history.runs)
    count = counted(len(history.runs), "recorded run")
    console().print(f"{count} over {history.days} days until {history.end:%Y-%m-%d %H:%M} UTC, seed {history.seed}:\n")
    for (agent, version), number in sorted(runs.items()):
        console().print(f"  {agent:<15} {version:<6} {counted(number, 'run'):>12}")
    console().print(f"\n{FAULTY_AGENT} {FAULTY_VERSION} was released on {history.released_at:%Y-%m-%d}.")
    console().print(
        f"Its tool {FAULTY_TOOL} is slow and fails since {history.fault_at:%Y-%m-%d %H:%M} UTC: a fault to find.\n"
    )
    console().print(f"Store: {store}", markup=False)

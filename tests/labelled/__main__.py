"""`poe labelled [FOLDER]`: imports labelled runs and prints where the default evaluators differ from the labels.

FOLDER is searched for NAME.label.json beside NAME.traces.pb, and NAME.logs.pb where there are log records. With
`--json` the last line is one JSON object. Exit code 0 when at least 95 % of the files are right and no evaluator gives
a false alarm on more than 3 %, else 1; 2 when the folder or a label cannot be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tracegrade.collector.config.evaluator_config import DEFAULTS
from tracegrade.collector.errors import CollectorError
from tracegrade.evaluators.catalog.configure import catalogue

from .case import BadLabel, Case, read_cases
from .figures import Figures, compare
from .scoring import Result, score_cases

EXPECTED = "run_completion"
"""Labels may name it, whether or not this version has it."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="poe labelled", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "runs")
    parser.add_argument("--json", action="store_true", help="print a JSON object as the last line")
    options = parser.parse_args(arguments)
    try:
        cases = read_cases(options.folder, {EXPECTED, *catalogue()})
        results = asyncio.run(score_cases(cases))
    except (BadLabel, CollectorError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    figures = compare(results, _evaluators(cases))
    _print(results, figures)
    if options.json:
        print(json.dumps(figures.to_json()))
    return 0 if figures.is_good else 1


def _evaluators(cases: Sequence[Case]) -> list[str]:
    """The defaults that score runs and calls, and what else the labels name."""
    known = catalogue()
    defaults = [name for name in DEFAULTS if known[name].scope in {"trace", "tool_call"}]
    named = sorted({name for case in cases for name in case.expected} | {EXPECTED})
    return list(dict.fromkeys([*defaults, *named]))


def _print(results: Sequence[Result], figures: Figures) -> None:
    for result in figures.wrong:
        _print_wrong(result)
    for result in results:
        if not result.run_count:
            print(f"{result.case.name}: no run was assembled from it")
    print(f"\n{'evaluator':<24}{'files':>7}{'right':>7}{'false alarms':>14}{'misses':>8}{'false-alarm share':>19}")
    for name, count in figures.evaluators.items():
        print(
            f"{name:<24}{figures.files:>7}{count.right:>7}{count.false_alarms:>14}{count.misses:>8}"
            f"{count.false_alarm_share:>18.1%}"
        )
    bad = figures.files - figures.fine
    print(f"\n{figures.right} of {figures.files} files right ({figures.share:.1%})")
    print(f"{figures.alarmed} of {figures.fine} fine runs got a failing score")
    print(f"{figures.silent} of {bad} bad runs got none")


def _print_wrong(result: Result) -> None:
    expected, actual = result.case.expected, result.actual
    print(f"{result.case.name}: expected {_listed(expected)}, got {_listed(actual)}")
    print(f"    label: {result.case.why}")
    for name in sorted(actual - expected):
        print(f"    false alarm, {name}: {_shortened(result.failing[name])}")
    for name in sorted(expected - actual):
        print(f"    miss, {name}: {_shortened(result.explanations.get(name, 'no score'))}")


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _shortened(explanation: str) -> str:
    line = " ".join(explanation.split())
    return line if len(line) <= 200 else f"{line[:199]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`poe conformance [FILE|FOLDER…]`: puts a peer's cases to our evaluators and prints where the answers differ.

Each case is asked twice: with the peer's known defects (`compat`), and then without, as users get it by default.
Without them an answer may be another one where the defect is declared in `declared.py`. With `--json` the last line is
one JSON object. Exit code 1 when an answer differs that is not declared; 3 when nothing was asked.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .cases import Answer, Case, cases, files
from .compare import differences
from .declared import declared
from .families import FAMILIES, NOT_YET

__all__ = ["DATA", "Finding", "examine", "main"]

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Finding:
    """A case and how it went: what is different, and the defect of the peer that explains it."""

    case: Case
    differs: tuple[str, ...] = ()
    defect: str | None = None
    not_asked: str | None = None

    @property
    def family(self) -> str:
        return str(self.case["evaluator"])

    @property
    def is_failure(self) -> bool:
        return bool(self.differs) and self.defect is None


def examine(case: Case) -> Finding:
    """Puts one case to us, both ways."""
    name = case["evaluator"]
    if name not in FAMILIES:
        return Finding(case, not_asked=NOT_YET.get(name, "no evaluator here answers such cases"))
    if differs := differences(case, _asked(case, compat=True)):
        return Finding(case, tuple(differs))
    if differs := differences(case, _asked(case, compat=False)):
        return Finding(case, tuple(f"without compat: {each}" for each in differs), defect=declared(case))
    return Finding(case)


def _asked(case: Case, *, compat: bool) -> Answer:
    try:
        return FAMILIES[case["evaluator"]](case, compat)
    except ValueError as refusal:
        return {"error": str(refusal)}
    except Exception as error:  # noqa: BLE001 - the other cases are asked all the same
        return {"crashed": repr(error)}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="poe conformance", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[DATA], metavar="FILE|FOLDER")
    parser.add_argument("--json", action="store_true", help="print a JSON object as the last line")
    options = parser.parse_args(arguments)
    try:
        findings = [examine(case) for file in files(options.paths) for case in cases(file)]
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _print(findings)
    if options.json:
        print(json.dumps(_summary(findings)))
    if not any(finding.not_asked is None for finding in findings):
        return 3
    return int(any(finding.is_failure for finding in findings))


def _print(findings: Sequence[Finding]) -> None:
    for finding in findings:
        for line in finding.differs if finding.is_failure else ():
            print(f"{finding.case['id']}: {line}")
    print(f"\n{'family'.ljust(46)}{'passed':>8}{'failed':>8}{'declared':>10}{'not asked':>11}")
    for family, count in _counts(findings).items():
        print(
            family.ljust(46)
            + f"{count['passed']:>8}{count['failed']:>8}{count['declared']:>10}{count['not_asked']:>11}"
        )
    for defect, number in Counter(finding.defect for finding in findings if finding.defect).most_common():
        print(f"{number:>5} differ by default: {defect}")
    for reason, number in Counter(finding.not_asked for finding in findings if finding.not_asked).most_common():
        print(f"{number:>5} not asked: {reason}")


def _counts(findings: Sequence[Finding]) -> dict[str, Counter[str]]:
    """A line a family, and the total. A case whose difference is declared has passed with `compat`."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for finding in findings:
        for family in (finding.family, "total"):
            counts[family][_outcome(finding)] += 1
            counts[family]["declared"] += finding.defect is not None
    return {family: counts[family] for family in [*sorted(counts.keys() - {"total"}), "total"] if family in counts}


def _outcome(finding: Finding) -> str:
    if finding.not_asked is not None:
        return "not_asked"
    return "failed" if finding.is_failure else "passed"


def _summary(findings: Sequence[Finding]) -> dict[str, object]:
    words = ("passed", "failed", "declared", "not_asked")
    counted = {family: {word: count[word] for word in words} for family, count in _counts(findings).items()}
    failures = [
        {"id": finding.case["id"], "family": finding.family, "differs": finding.differs}
        for finding in findings
        if finding.is_failure
    ]
    return {"families": counted, "total": counted.pop("total", dict.fromkeys(words, 0)), "failures": failures}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`poe durability [PART…]`: pulls plugs for so many minutes, and counts what was lost, doubled or scored wrongly.

Each part makes trials until its share of the minutes is over, at least one. The seed is printed; with `--seed` the
plans are the same again, and with `--trial` one trial of one part is made alone. Exit code 1 when anything is found.
"""

from __future__ import annotations

import argparse
import logging
import random
import secrets
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from .part import Counts, Found, Part, Trial
from .table import Tally, lines

FOLDER = Path(__file__).parent


def main(arguments: Sequence[str]) -> int:
    parts = known_parts()
    options = _parser(parts).parse_args(arguments)
    if unknown := set(options.parts) - parts.keys():
        sys.stderr.write(f"there is no part {', '.join(sorted(unknown))}; known are {', '.join(parts)}\n")
        return 2
    if options.trial is not None and len(options.parts) != 1:
        sys.stderr.write("--trial repeats a trial of one part: name the part\n")
        return 2
    chosen = [parts[name] for name in options.parts or parts]
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    print(f"seed {seed}; {options.minutes:g} minutes for {', '.join(part.name for part in chosen)}", flush=True)
    seconds = 60 * options.minutes / sum(part.share for part in chosen)
    tallies = [_tried(part, seed, part.share * seconds, only=options.trial) for part in chosen]
    print()
    for line in lines(tallies):
        print(line)
    return 1 if any(tally.is_faulty for tally in tallies) else 0


def known_parts() -> Mapping[str, Part]:
    """The parts by name: every module of this folder that has one."""
    modules = [
        import_module(f"tests.durability.{file.stem}")
        for file in sorted(FOLDER.glob("*.py"))
        if not file.stem.startswith(("_", "test_"))
    ]
    return {module.PART.name: module.PART for module in modules if isinstance(getattr(module, "PART", None), Part)}


def _parser(parts: Mapping[str, Part]) -> argparse.ArgumentParser:
    told = "\n".join(f"  {part.name:<12}{part.summary}" for part in parts.values())
    parser = argparse.ArgumentParser(
        prog="poe durability",
        description=(__doc__ or "").partition("\n")[0],
        epilog=f"parts:\n{told}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="which parts; default all")
    parser.add_argument("--minutes", type=float, default=10, help="how long altogether (default 10)")
    parser.add_argument("--seed", type=int, help="repeats the plans of an earlier run")
    parser.add_argument("--trial", type=int, metavar="NUMBER", help="makes this trial of one part alone")
    return parser


def _tried(part: Part, seed: int, seconds: float, *, only: int | None) -> Tally:
    """All trials of a part; none where they cannot be made here. The last one that is begun has at least half the time
    that the longest one took."""
    began = time.monotonic()
    ends_at, longest, tally = began + seconds, 0.0, Tally(part.name)
    print(f"\n{part.name}: {part.summary}; {seconds:.0f} s", flush=True)
    while tally.trials == 0 or (only is None and ends_at - time.monotonic() > longest / 2):
        number = tally.trials if only is None else only
        at = time.monotonic()
        found = _trial(part, seed, number, ends_at)
        if found is None:
            break
        took = time.monotonic() - at
        longest = max(longest, took)
        tally.add(found)
        print(f"  trial {number}, {took:.0f} s: {_told(found)}", flush=True)
        for fault in found.faults:
            print(f"    {fault}", flush=True)
        if found.faults:
            print(f"    again: poe durability {part.name} --seed {seed} --trial {number}", flush=True)
    return tally


def _trial(part: Part, seed: int, number: int, ends_at: float) -> Found | None:
    """What came of it; None where it cannot be made here."""
    chance = random.Random(f"{seed} {part.name} {number}")
    with tempfile.TemporaryDirectory(prefix=f"tracegrade-{part.name}-") as folder:
        trial = Trial(number, chance, Path(folder), ends_at, lambda line: print(f"    {line}", flush=True))
        try:
            return part.run(trial)
        except pytest.skip.Exception as skipped:
            print(f"    not made here: {skipped}", flush=True)
            return None
        except Exception:  # noqa: BLE001 - a trial that fails is a fault, and the other parts have their minutes
            return Found(Counts(), [f"the trial failed: {traceback.format_exc()}"])


def _told(found: Found) -> str:
    counts = found.counts
    done = {"kills": counts.kills, "orders": counts.orders, "spans": counts.spans, "scores": counts.scores}
    told = ", ".join(f"{count:,} {name}" for name, count in done.items() if count)
    return f"{told or 'done'}; {f'{counts.faults + len(found.faults)} FAULTS' if found.faults else 'no fault'}"


if __name__ == "__main__":
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # exporters tell of each server that is gone
    sys.exit(main(sys.argv[1:]))

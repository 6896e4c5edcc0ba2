"""`poe attack --minutes N`: everything at once that sessions of attacks have found, and what honest ones notice of it.

Prints a table of what was found and what must hold. Exit code 1 where something does not.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import ByteSize, TypeAdapter

from .outcome import lines
from .scene import Plan, attacked

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    memory_bytes = TypeAdapter(ByteSize).validate_python(options.memory)
    plan = Plan(minutes=options.minutes, memory_bytes=memory_bytes, seed=seed)
    print(f"seed {seed}; {memory_bytes / 2**20:,.0f} MB", flush=True)
    with tempfile.TemporaryDirectory(prefix="tracegrade-attack-") as folder:
        outcome = attacked(plan, Path(folder), lambda line: print(f"  {line}", flush=True))
    print()
    for line in lines(outcome):
        print(line)
    return 0 if all(must.holds or (must.is_time and options.without_times) for must in outcome.musts) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="poe attack", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long altogether (default 10)")
    parser.add_argument("--memory", default="2GiB", help="of the server and all that it starts (default 2GiB)")
    parser.add_argument("--without-times", action="store_true", help="show times, but let none fail: for slow machines")
    parser.add_argument("--seed", type=int, help="repeats what attackers do")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`tracegrade import`: imports files into the store, evaluates their runs, and may check the scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Fault
from ..system.allocator import map_large_blocks
from ..worker.start import forked

if TYPE_CHECKING:
    from ..client.source import Source
    from ..experiments.gate_file import Gate
    from .gate_output import GateOutput

__all__ = ["import_"]

_LARGE_BYTES = 16 * 2**20


def import_(
    *,
    files: Sequence[Path],
    kind: str | None,
    strict: bool,
    dataset: str | None,
    store: str | None,
    config: Path | None,
    evaluate: bool,
    gate: Path | None,
    junit: Path | None,
    markdown: Path | None,
    github: bool,
) -> int:
    if any(file.is_file() and file.stat().st_size >= _LARGE_BYTES for file in files):
        map_large_blocks()  # in the worker, too; not for small files, since it takes a tenth of their time
    worker = forked()
    from .importing import import_files  # noqa: PLC0415 - imports libraries with threads, after which no fork is safe

    check = None
    if gate is not None:
        from ..experiments.gate_file import build_gate  # noqa: PLC0415 - most imports have no gate
        from .gate_output import GateOutput  # noqa: PLC0415 - likewise

        output = GateOutput(junit=junit, markdown=markdown, github=github)
        check = partial(_check, build_gate(gate, {}), output)
    elif junit or markdown or github:
        raise Fault("--junit, --markdown and --github are reports of a gate: name its FILE with --gate")
    if check and not evaluate:
        raise Fault("--gate needs scores: leave out --no-evaluate")
    return import_files(
        files,
        store=store,
        config=config,
        evaluate=evaluate,
        worker=worker,
        check=check,
        kind=kind,
        strict=strict,
        dataset=dataset,
    )


def _check(gate: Gate, output: GateOutput, source: Source, trace_ids: Collection[str]) -> int:
    """Check the scores of the imported traces; return the exit code."""
    from ..clock import utc_now  # noqa: PLC0415 - likewise
    from ..experiments.gate_report import make_report  # noqa: PLC0415 - likewise
    from .gate_output import EXIT_CODES, show_report  # noqa: PLC0415 - likewise

    report = make_report(source.read, gate, now=utc_now(), trace_ids=trace_ids)
    show_report(report)
    output.write(report)
    return EXIT_CODES[report.result.status]

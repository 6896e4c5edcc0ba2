"""The pages, in the order of the menu; the last one answers for all other paths.

A path that ends with a name, in which there may be slashes, stands after those that go on behind the name.
"""

from __future__ import annotations

from typing import Final

from .access.login import log_in, log_out, show_login
from .datasets.dataset import show_dataset
from .datasets.listing import show_datasets
from .evaluators.backfill import ask_for_backfill, begin_backfill
from .evaluators.detail import show_evaluator
from .evaluators.listing import show_evaluators
from .evaluators.preview import ask_for_preview, show_preview
from .evaluators.switches import begin_pause, end_pause
from .experiments.comparing import compare
from .experiments.experiment import show_experiment
from .experiments.listing import show_experiments
from .labelling.labels import give_label, take_back
from .labelling.queue import show_queue
from .live import send_counts
from .overview.page import show_overview
from .page import Page
from .run.comparison import show_comparison
from .run.downloads import download_item, download_otlp
from .run.label import label_run
from .run.session import show_session
from .run.showing import show_run
from .run.text import show_text
from .runs.listing import show_runs
from .runs.selected import change_selected
from .runs.sessions import show_sessions
from .sql.page import ask_sql, download_answer, download_long_answer, show_sql
from .tools.listing import show_tools
from .tools.tool import show_tool
from .unknown import show_unknown

__all__ = ["PAGES"]

PAGES: Final[tuple[Page, ...]] = (
    show_overview,
    show_runs,
    change_selected,
    show_sessions,
    show_run,
    show_text,
    label_run,
    download_otlp,
    download_item,
    show_session,
    show_comparison,
    show_tools,
    show_tool,
    show_datasets,
    show_dataset,
    show_experiments,
    compare,
    show_experiment,
    show_sql,
    ask_sql,
    download_answer,
    download_long_answer,
    show_evaluators,
    begin_pause,
    end_pause,
    ask_for_backfill,
    begin_backfill,
    show_evaluator,
    show_queue,
    give_label,
    take_back,
    ask_for_preview,
    show_preview,
    show_login,
    log_in,
    log_out,
    send_counts,
    show_unknown,
)

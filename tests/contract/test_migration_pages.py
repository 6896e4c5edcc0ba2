"""The pages for users of other systems give the advice of their guides."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "collector" / "docs"


@pytest.mark.parametrize(
    ("page", "advice"),
    [
        ("from-agentv.md", "Begin with `any_order` and minimums. Tighten to `in_order`, then to `exact`"),
        ("from-agentv.md", "Look at runs before you write checks: `tracegrade show TRACE`, or `--dump-traces`"),
        ("from-agentv.md", "Use `exact` for workflows that matter for security"),
        ("from-agentv.md", "Set limits of time generously, and only on critical paths"),
        ("from-agentv.md", "Combine the trajectory with evaluators of the answer"),
    ],
)
def test_advice_of_a_guide_is_on_its_page(page: str, advice: str) -> None:
    assert advice in " ".join((FOLDER / page).read_text(encoding="utf-8").split())

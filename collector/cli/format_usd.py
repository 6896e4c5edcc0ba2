"""Formats amounts of money for display."""

from __future__ import annotations

__all__ = ["format_usd"]


def format_usd(amount_usd: float) -> str:
    """Format US dollars with enough digits to differ from zero."""
    if amount_usd >= 1 or amount_usd == 0:
        return f"${amount_usd:,.2f}"
    return f"${amount_usd:.2g}" if amount_usd < 0.01 else f"${amount_usd:.3f}"

"""Amounts of money for people."""

from __future__ import annotations

__all__ = ["dollars"]


def dollars(amount_usd: float) -> str:
    """Format US dollars with enough digits to differ from zero."""
    if amount_usd >= 1 or amount_usd == 0:
        return f"${amount_usd:,.2f}"
    return f"${amount_usd:.2g}" if amount_usd < 0.01 else f"${amount_usd:.3f}"

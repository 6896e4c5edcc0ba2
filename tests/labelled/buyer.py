"""An agent that buys spare parts, which several stories are about."""

from __future__ import annotations

from typing import Any

from .story import Agent, Call, call, tool

__all__ = ["BUYER", "search"]

BUYER = Agent(
    "buyer",
    (
        tool("search_parts", "Search the catalogue", query="string", limit="integer?"),
        tool("check_stock", "Stock of an article", sku="string"),
        tool("get_quote", "Price of an article", sku="string"),
        tool("get_supplier", "A supplier", id="string"),
        tool("add_to_cart", "Put an article into the cart", sku="string"),
        tool("get_cart", "The cart"),
        tool("list_orders", "A page of orders", cursor="string?"),
        tool("export_status", "State of an export", id="string"),
    ),
    "You buy spare parts.",
)


def search(query: str, hits: list[Any], **more: Any) -> Call:
    """A search of the catalogue that found these articles."""
    return call("search_parts", {"query": query}, {"hits": hits, **more})

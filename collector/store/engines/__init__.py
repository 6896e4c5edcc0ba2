"""Protocols of a storage engine (`location`, `database`, `readers`), the engines, and their `selection` by URL."""

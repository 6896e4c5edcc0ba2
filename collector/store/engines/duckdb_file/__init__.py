"""The engine that keeps a store in one DuckDB file on a local disk, held by one process."""

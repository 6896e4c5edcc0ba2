"""Writes the content of the store as Parquet files by day, for other tools; only days that have changed."""

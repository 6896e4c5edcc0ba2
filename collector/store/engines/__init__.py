"""The database file: opened, locked, read by other processes."""

"""The only writer of the database: one connection for arrivals, one for results; readers have their own cursors."""

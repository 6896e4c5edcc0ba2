"""The only writer of the database: arrivals on one connection, results on another, readers on cursors of their own."""

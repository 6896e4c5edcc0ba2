"""The page on which readers ask with SQL, or with a report."""

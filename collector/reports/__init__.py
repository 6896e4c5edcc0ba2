"""Reports on evaluators, judges and runs: read from the store with our own queries, and described in words."""

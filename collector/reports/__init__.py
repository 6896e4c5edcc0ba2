"""What there is to know of evaluators, judges and runs: read by our own queries, and put into words."""

"""References: what runs are expected to do, from rules in a file or from attributes of the runs."""

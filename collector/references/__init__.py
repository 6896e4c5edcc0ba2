"""What runs are expected to do: from rules in a file, or from attributes of their own."""

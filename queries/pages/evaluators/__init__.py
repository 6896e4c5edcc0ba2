"""The evaluators: whether their grades can be trusted, and whether they keep up."""

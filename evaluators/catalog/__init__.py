"""From a specification to an evaluator that is ready to run."""

"""What model calls cost: normalised names of models, list prices and configured prices."""

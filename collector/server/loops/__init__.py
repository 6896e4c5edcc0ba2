"""The loops of the server: assembly, evaluation passes and outbox. A cycle is what a loop repeats."""

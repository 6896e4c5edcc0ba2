"""The loops of the server: assembly, evaluation passes and outbox. A loop repeats a cycle."""

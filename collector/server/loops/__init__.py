"""The loops of the server: assembly, evaluation passes, outbox and hours. A loop repeats a cycle."""

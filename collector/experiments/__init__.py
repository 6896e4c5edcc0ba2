"""Makes datasets of stored runs, and checks stored scores against a gate."""

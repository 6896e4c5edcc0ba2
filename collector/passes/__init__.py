"""Where evaluators run: in lanes that do not wait for each other, and in worker processes."""

"""What is due for evaluation, what is deferred, which scores are stored, and what judges were asked."""

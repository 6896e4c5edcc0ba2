"""What an evaluator is: its definition, its options, what it returns, and the score record."""

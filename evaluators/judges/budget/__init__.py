"""What judge calls cost, and the daily budgets."""

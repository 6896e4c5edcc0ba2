"""What model calls cost: one name for each model, the list prices that are known, and prices of your own."""

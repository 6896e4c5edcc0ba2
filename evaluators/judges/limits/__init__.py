"""Rate limits, retries and the circuit breaker of a judge."""

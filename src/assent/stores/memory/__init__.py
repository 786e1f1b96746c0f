"""A store in memory, for tests and short-lived programs."""

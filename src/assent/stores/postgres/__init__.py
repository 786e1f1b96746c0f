"""A store in PostgreSQL, for many processes on many machines."""

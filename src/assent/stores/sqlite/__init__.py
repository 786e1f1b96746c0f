"""A store in an SQLite file."""

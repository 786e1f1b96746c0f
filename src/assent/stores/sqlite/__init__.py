"""A store in an SQLite file, for the processes of one machine."""

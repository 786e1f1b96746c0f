"""The shelf: collections of documents that can be asked, in SQLite or PostgreSQL."""

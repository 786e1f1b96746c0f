"""Verification, archives and maintenance of databases, for operators."""

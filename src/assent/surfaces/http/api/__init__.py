"""Shared code of all routes: routing, access checks, request parsing and responses."""

"""Talks to a running server."""

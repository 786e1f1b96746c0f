"""The terminal dashboard: people read and answer questions at a terminal, through a running server."""

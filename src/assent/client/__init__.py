"""The client of a running server, and the file in which commands find that server."""

"""The HTTP server: one API for agents, people and the web app."""

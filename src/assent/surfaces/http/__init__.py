"""The gate over HTTP: one API for agents, people and pages."""

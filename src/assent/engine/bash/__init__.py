"""Bash: the syntax of its lines, and the commands that they would run."""

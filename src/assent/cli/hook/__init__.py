"""The commands that put Assent in front of Claude Code, and what the hook does without a server."""

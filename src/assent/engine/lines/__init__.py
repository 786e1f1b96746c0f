"""Code that all shell languages share: commands, parts, nested code, and file access."""

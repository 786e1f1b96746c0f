"""Agents of Claude Code that Assent starts: one agent, or a fleet with a lead."""

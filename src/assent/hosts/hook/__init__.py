"""Hooks of other programs: each asks before a tool call and obeys the answer."""

"""The tools of a chat; the gate decides each call before its tool runs."""

"""Decides every tool call: pure functions over immutable values, no I/O, no clock."""

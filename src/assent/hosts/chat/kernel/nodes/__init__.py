"""The nodes that ship with Assent; others come from packages that are installed beside it."""

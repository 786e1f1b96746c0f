"""Trying the gate to destruction: processes that are killed, stores that fail, and histories that tell."""

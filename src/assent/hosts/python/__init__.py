"""A Python program as a host: its own functions behind the gate."""

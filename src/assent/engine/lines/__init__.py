"""Lines: what every shell has in common, whatever its syntax."""

"""The JSON of the gate's values, once, for every surface and every store."""
